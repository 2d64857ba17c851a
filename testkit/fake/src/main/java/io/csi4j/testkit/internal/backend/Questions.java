package io.csi4j.testkit.internal.backend;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Int64Value;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Answers calls that change nothing, such as those about the plugin's identity and capabilities.
 */
final class Questions {

  /** Number of a capability that no version of CSI defines. */
  private static final int FROM_THE_FUTURE = 99;

  private static final String EXPANSION = "VOLUME_EXPANSION_";

  private final BackendParts ground;

  Questions(BackendParts ground) {
    this.ground = ground;
  }

  static GetPluginInfoResponse info(PluginShape shape) {
    return GetPluginInfoResponse.newBuilder()
        .setName(shape.name().value())
        .setVendorVersion(shape.vendorVersion())
        .build();
  }

  static ProbeResponse probe(PluginShape shape) {
    return shape.has(Quirk.PROBE_WITHOUT_READY)
        ? ProbeResponse.getDefaultInstance()
        : ProbeResponse.newBuilder().setReady(BoolValue.of(true)).build();
  }

  /** Returns the answer to a call that reads the capabilities of a service. */
  static Message capabilities(PluginShape shape, CsiOperation asked) {
    Set<? extends Enum<?>> offered =
        switch (asked.service()) {
          case CONTROLLER -> shape.controllerCapabilities();
          case GROUP_CONTROLLER -> shape.groupCapabilities();
          case NODE -> shape.nodeCapabilities();
          default -> shape.pluginCapabilities();
        };
    boolean ofPlugin = asked.service() == CsiOperation.Service.IDENTITY;
    List<Map<String, ?>> told = new ArrayList<>();
    for (Enum<?> capability : offered) {
      String name = capability.name();
      if (name.startsWith(EXPANSION)) {
        told.add(entry("volume_expansion", name.substring(EXPANSION.length())));
      } else {
        told.add(entry(ofPlugin ? "service" : "rpc", name));
      }
    }
    if (shape.has(Quirk.UNKNOWN_CAPABILITY)) {
      told.add(entry(ofPlugin ? "service" : "rpc", 0));
      told.add(entry(ofPlugin ? "service" : "rpc", FROM_THE_FUTURE));
    }
    return MessageFields.with(WireOperation.of(asked).answer(), Map.of("capabilities", told));
  }

  private static Map<String, ?> entry(String kind, Object type) {
    return Map.of(kind, Map.of("type", type));
  }

  NodeGetInfoResponse nodeInfo(Call call) {
    NodeGetInfoResponse.Builder answer =
        NodeGetInfoResponse.newBuilder()
            .setNodeId(call.here())
            .setMaxVolumesPerNode(call.shape().maxVolumesPerNode());
    VolumePlacement.ofNode(call.shape(), ground.nodes(), call.here())
        .ifPresent(answer::setAccessibleTopology);
    return answer.build();
  }

  GetCapacityResponse capacity(Call call, GetCapacityRequest request) throws Refusal {
    PluginShape shape = call.shape();
    boolean possible = true;
    for (int i = 0; i < request.getVolumeCapabilitiesCount(); i++) {
      VolumeCapability capability = request.getVolumeCapabilities(i);
      Capabilities.checkAtController(shape, "volume_capabilities[" + i + "]", capability);
      possible &= Capabilities.unsupported(shape, capability).isEmpty();
    }
    if (request.hasAccessibleTopology()) {
      List<io.csi4j.client.internal.proto.Topology> named =
          List.of(request.getAccessibleTopology());
      VolumePlacement.check(shape, "accessible_topology", named);
      io.csi4j.client.model.Topology place = VolumePlacement.of(request.getAccessibleTopology());
      possible &= shape.topologies().stream().anyMatch(node -> node.includes(place));
    }
    long free = possible ? ground.knowledge().free(shape) : 0;
    return GetCapacityResponse.newBuilder()
        .setAvailableCapacity(free)
        .setMaximumVolumeSize(Int64Value.of(free))
        .build();
  }

  ValidateVolumeCapabilitiesResponse validate(Call call, ValidateVolumeCapabilitiesRequest request)
      throws Refusal {
    PluginShape shape = call.shape();
    VolumeService.checkMutable(shape, "mutable_parameters", request.getMutableParamsMap());
    StoredVolume volume = ground.volume("volume_id", request.getVolumeId());
    ValidateVolumeCapabilitiesResponse.Builder answer =
        ValidateVolumeCapabilitiesResponse.newBuilder();
    Optional<String> objection = objection(shape, volume, request);
    if (objection.isPresent()) {
      return answer.setMessage(objection.get()).build();
    }
    if (shape.has(Quirk.CONFIRMED_LEFT_OUT)) {
      return answer.build();
    }
    if (shape.has(Quirk.CONFIRMED_LEFT_OUT_WITH_MESSAGE)) {
      return answer.setMessage("Validating volumes is not implemented yet.").build();
    }
    if (shape.has(Quirk.ONLY_ACCESS_MODE_CONFIRMED)) {
      request
          .getVolumeCapabilitiesList()
          .forEach(
              asked ->
                  answer
                      .getConfirmedBuilder()
                      .addVolumeCapabilities(
                          VolumeCapability.newBuilder().setAccessMode(asked.getAccessMode())));
      return answer.build();
    }
    answer
        .getConfirmedBuilder()
        .putAllVolumeContext(request.getVolumeContextMap())
        .addAllVolumeCapabilities(request.getVolumeCapabilitiesList())
        .putAllParameters(request.getParametersMap())
        .putAllMutableParams(request.getMutableParamsMap());
    return answer.build();
  }

  private static Optional<String> objection(
      PluginShape shape, StoredVolume volume, ValidateVolumeCapabilitiesRequest request)
      throws Refusal {
    for (int i = 0; i < request.getVolumeCapabilitiesCount(); i++) {
      String at = "volume_capabilities[" + i + "]";
      Capabilities.checkAtController(shape, at, request.getVolumeCapabilities(i));
      Optional<String> not =
          Capabilities.unsupported(shape, volume, request.getVolumeCapabilities(i));
      if (not.isPresent()) {
        return Optional.of(at + " " + not.get() + ".");
      }
    }
    if (request.getVolumeContextCount() > 0
        && !request.getVolumeContextMap().equals(volume.volume().getVolumeContextMap())) {
      return Optional.of("volume_context is not that of the volume.");
    }
    if (request.getParametersCount() > 0
        && !request.getParametersMap().equals(volume.asked().getParametersMap())) {
      return Optional.of("parameters are not those that the volume was created with.");
    }
    return Optional.empty();
  }
}
