package io.csi4j.client.internal;

import io.csi4j.client.identity.IdentityService;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.mapping.IdentityAnswerMapping;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.IdentityGrpc;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiOperation;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** The identity service. Sends its calls through the {@link CallPath}. */
public final class IdentityClient implements IdentityService {

  /** The argument of a call without arguments. */
  static final Nothing NOTHING = new Nothing();

  static final UnaryRpc<Nothing, GetPluginInfoRequest, GetPluginInfoResponse, PluginInfo>
      GET_PLUGIN_INFO =
          new UnaryRpc<>(
              CsiOperation.GET_PLUGIN_INFO,
              IdentityGrpc.getGetPluginInfoMethod(),
              nothing -> GetPluginInfoRequest.getDefaultInstance(),
              IdentityAnswerMapping::getPluginInfo);

  static final UnaryRpc<
          Nothing,
          GetPluginCapabilitiesRequest,
          GetPluginCapabilitiesResponse,
          CapabilitySet<PluginCapability>>
      GET_PLUGIN_CAPABILITIES =
          new UnaryRpc<>(
              CsiOperation.GET_PLUGIN_CAPABILITIES,
              IdentityGrpc.getGetPluginCapabilitiesMethod(),
              nothing -> GetPluginCapabilitiesRequest.getDefaultInstance(),
              IdentityAnswerMapping::getPluginCapabilities);

  static final UnaryRpc<Nothing, ProbeRequest, ProbeResponse, Readiness> PROBE =
      new UnaryRpc<>(
          CsiOperation.PROBE,
          IdentityGrpc.getProbeMethod(),
          nothing -> ProbeRequest.getDefaultInstance(),
          IdentityAnswerMapping::probe);

  private final ServiceCalls calls;

  /** Creates the service on top of {@code calls}. */
  public IdentityClient(ServiceCalls calls) {
    this.calls = calls;
  }

  /** The type of {@code NOTHING}. */
  record Nothing() {}

  @Override
  public PluginInfo getPluginInfo() {
    return calls.blocking(GET_PLUGIN_INFO, NOTHING);
  }

  @Override
  public CapabilitySet<PluginCapability> getPluginCapabilities() {
    return calls.blocking(GET_PLUGIN_CAPABILITIES, NOTHING);
  }

  @Override
  public Readiness probe() {
    return calls.blocking(PROBE, NOTHING);
  }

  @Override
  public IdentityService.Async async() {
    return new NotBlocking(calls);
  }

  @Override
  public IdentityService with(UnaryOperator<CallPolicy.Builder> change) {
    return new IdentityClient(calls.with(change));
  }

  /** The non-blocking form of the calls. */
  private record NotBlocking(ServiceCalls calls) implements IdentityService.Async {

    @Override
    public CompletionStage<PluginInfo> getPluginInfo() {
      return calls.async(GET_PLUGIN_INFO, NOTHING);
    }

    @Override
    public CompletionStage<CapabilitySet<PluginCapability>> getPluginCapabilities() {
      return calls.async(GET_PLUGIN_CAPABILITIES, NOTHING);
    }

    @Override
    public CompletionStage<Readiness> probe() {
      return calls.async(PROBE, NOTHING);
    }
  }
}
