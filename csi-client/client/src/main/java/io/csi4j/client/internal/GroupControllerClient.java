package io.csi4j.client.internal;

import io.csi4j.client.group.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.group.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.group.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.group.GroupControllerService;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.internal.mapping.GroupAnswerMapping;
import io.csi4j.client.internal.mapping.GroupRequestMapping;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.GroupControllerGrpc;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiOperation;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The group controller service. Sends its calls through the {@link CallPath}. */
public final class GroupControllerClient implements GroupControllerService {

  static final UnaryRpc<
          IdentityClient.Nothing,
          GroupControllerGetCapabilitiesRequest,
          GroupControllerGetCapabilitiesResponse,
          CapabilitySet<GroupControllerCapability>>
      GET_CAPABILITIES =
          new UnaryRpc<>(
              CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES,
              GroupControllerGrpc.getGroupControllerGetCapabilitiesMethod(),
              nothing -> GroupControllerGetCapabilitiesRequest.getDefaultInstance(),
              GroupAnswerMapping::groupControllerGetCapabilities);

  static final UnaryRpc<
          CreateVolumeGroupSnapshotRequest,
          io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest,
          CreateVolumeGroupSnapshotResponse,
          VolumeGroupSnapshot>
      CREATE_VOLUME_GROUP_SNAPSHOT =
          new UnaryRpc<>(
              CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
              GroupControllerGrpc.getCreateVolumeGroupSnapshotMethod(),
              GroupRequestMapping::toProto,
              GroupAnswerMapping::createVolumeGroupSnapshot);

  static final UnaryRpc<
          DeleteVolumeGroupSnapshotRequest,
          io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest,
          DeleteVolumeGroupSnapshotResponse,
          @Nullable Void>
      DELETE_VOLUME_GROUP_SNAPSHOT =
          UnaryRpc.withoutResult(
              CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
              GroupControllerGrpc.getDeleteVolumeGroupSnapshotMethod(),
              GroupRequestMapping::toProto);

  static final UnaryRpc<
          GetVolumeGroupSnapshotRequest,
          io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest,
          GetVolumeGroupSnapshotResponse,
          VolumeGroupSnapshot>
      GET_VOLUME_GROUP_SNAPSHOT =
          new UnaryRpc<>(
              CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
              GroupControllerGrpc.getGetVolumeGroupSnapshotMethod(),
              GroupRequestMapping::toProto,
              GroupAnswerMapping::getVolumeGroupSnapshot);

  private final ServiceCalls calls;

  /** Creates the service on top of {@code calls}. */
  public GroupControllerClient(ServiceCalls calls) {
    this.calls = calls;
  }

  @Override
  public CapabilitySet<GroupControllerCapability> getCapabilities() {
    return calls.blocking(GET_CAPABILITIES, IdentityClient.NOTHING);
  }

  @Override
  public VolumeGroupSnapshot createVolumeGroupSnapshot(CreateVolumeGroupSnapshotRequest request) {
    return calls.blocking(CREATE_VOLUME_GROUP_SNAPSHOT, request);
  }

  @Override
  public void deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request) {
    calls.blocking(DELETE_VOLUME_GROUP_SNAPSHOT, request);
  }

  @Override
  public VolumeGroupSnapshot getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest request) {
    return calls.blocking(GET_VOLUME_GROUP_SNAPSHOT, request);
  }

  @Override
  public GroupControllerService.Async async() {
    return new NotBlocking(calls);
  }

  @Override
  public GroupControllerService with(UnaryOperator<CallPolicy.Builder> change) {
    return new GroupControllerClient(calls.with(change));
  }

  /** The non-blocking form of the calls. */
  private record NotBlocking(ServiceCalls calls) implements GroupControllerService.Async {

    @Override
    public CompletionStage<CapabilitySet<GroupControllerCapability>> getCapabilities() {
      return calls.async(GET_CAPABILITIES, IdentityClient.NOTHING);
    }

    @Override
    public CompletionStage<VolumeGroupSnapshot> createVolumeGroupSnapshot(
        CreateVolumeGroupSnapshotRequest request) {
      return calls.async(CREATE_VOLUME_GROUP_SNAPSHOT, request);
    }

    @Override
    public CompletionStage<@Nullable Void> deleteVolumeGroupSnapshot(
        DeleteVolumeGroupSnapshotRequest request) {
      return calls.async(DELETE_VOLUME_GROUP_SNAPSHOT, request);
    }

    @Override
    public CompletionStage<VolumeGroupSnapshot> getVolumeGroupSnapshot(
        GetVolumeGroupSnapshotRequest request) {
      return calls.async(GET_VOLUME_GROUP_SNAPSHOT, request);
    }
  }
}
