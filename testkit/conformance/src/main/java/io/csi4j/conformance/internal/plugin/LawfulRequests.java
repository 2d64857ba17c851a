package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.AccessType;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import java.util.List;
import java.util.Map;

/** Lawful requests, with all that the plugin's description has for them. */
final class LawfulRequests {

  private LawfulRequests() {}

  /** How volumes are used, as the description says, the usual way first. */
  static List<VolumeCapability> capabilities(Trial t) {
    return t.plugin().capabilities().stream().map(LawfulRequests::capability).toList();
  }

  /** How volumes are usually used. */
  static VolumeCapability capability(Trial t) {
    return capability(t.plugin().capabilities().get(0));
  }

  private static VolumeCapability capability(io.csi4j.client.model.VolumeCapability from) {
    VolumeCapability.Builder to = VolumeCapability.newBuilder();
    if (from.accessType() instanceof AccessType.Mount mount) {
      VolumeCapability.MountVolume.Builder options = to.getMountBuilder();
      mount.options().fsType().ifPresent(options::setFsType);
      mount.options().flags().map(MountFlags::reveal).ifPresent(options::addAllMountFlags);
      mount.options().volumeMountGroup().ifPresent(options::setVolumeMountGroup);
    } else {
      to.setBlock(VolumeCapability.BlockVolume.getDefaultInstance());
    }
    Mode mode =
        switch (from.accessMode()) {
          case SINGLE_NODE_WRITER, UNSPECIFIED, UNRECOGNIZED -> Mode.SINGLE_NODE_WRITER;
          case SINGLE_NODE_READER_ONLY -> Mode.SINGLE_NODE_READER_ONLY;
          case MULTI_NODE_READER_ONLY -> Mode.MULTI_NODE_READER_ONLY;
          case MULTI_NODE_SINGLE_WRITER -> Mode.MULTI_NODE_SINGLE_WRITER;
          case MULTI_NODE_MULTI_WRITER -> Mode.MULTI_NODE_MULTI_WRITER;
          case SINGLE_NODE_SINGLE_WRITER -> Mode.SINGLE_NODE_SINGLE_WRITER;
          case SINGLE_NODE_MULTI_WRITER -> Mode.SINGLE_NODE_MULTI_WRITER;
        };
    return inMode(to.build(), mode);
  }

  /** Returns the use in another mode. */
  static VolumeCapability inMode(VolumeCapability capability, Mode mode) {
    return capability.toBuilder()
        .setAccessMode(VolumeCapability.AccessMode.newBuilder().setMode(mode))
        .build();
  }

  /** A capability that cannot be taken for the usual one: another mode, or another type. */
  static VolumeCapability otherCapability(Trial t) {
    VolumeCapability usual = capability(t);
    return capabilities(t).stream()
        .filter(each -> each.getAccessTypeCase() != usual.getAccessTypeCase())
        .findFirst()
        .orElseGet(
            () ->
                inMode(
                    usual,
                    usual.getAccessMode().getMode() == Mode.MULTI_NODE_MULTI_WRITER
                        ? Mode.SINGLE_NODE_WRITER
                        : Mode.MULTI_NODE_MULTI_WRITER));
  }

  private static Map<String, String> secrets(Trial t, CsiOperation operation) {
    return t.plugin().secrets(operation).reveal();
  }

  static CapacityRange atLeast(long bytes) {
    return CapacityRange.newBuilder().setRequiredBytes(bytes).build();
  }

  static CapacityRange range(long required, long limit) {
    return CapacityRange.newBuilder().setRequiredBytes(required).setLimitBytes(limit).build();
  }

  static CreateVolumeRequest.Builder create(Trial t) throws CaseEndedException {
    CreateVolumeRequest.Builder request =
        CreateVolumeRequest.newBuilder()
            .setName(t.newName())
            .setCapacityRange(atLeast(t.plugin().volumeBytes()))
            .addVolumeCapabilities(capability(t))
            .putAllParameters(t.plugin().parameters())
            .putAllSecrets(secrets(t, CsiOperation.CREATE_VOLUME));
    Topology here = t.offers().info().getAccessibleTopology();
    if (t.offers().has(PluginCapability.Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS)
        && here.getSegmentsCount() > 0) {
      request.setAccessibilityRequirements(
          TopologyRequirement.newBuilder().addRequisite(here).addPreferred(here));
    }
    return request;
  }

  static DeleteVolumeRequest delete(Trial t, String volume) {
    return DeleteVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .putAllSecrets(secrets(t, CsiOperation.DELETE_VOLUME))
        .build();
  }

  static ControllerPublishVolumeRequest.Builder attach(Trial t, Volume volume)
      throws CaseEndedException {
    return ControllerPublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setNodeId(t.offers().info().getNodeId())
        .setVolumeCapability(capability(t))
        .putAllVolumeContext(volume.getVolumeContextMap())
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_PUBLISH_VOLUME));
  }

  static ControllerUnpublishVolumeRequest.Builder detach(Trial t, Volume volume)
      throws CaseEndedException {
    return ControllerUnpublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setNodeId(t.offers().info().getNodeId())
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));
  }

  static ValidateVolumeCapabilitiesRequest.Builder validate(Trial t, Volume volume) {
    return ValidateVolumeCapabilitiesRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllVolumeContext(volume.getVolumeContextMap())
        .addVolumeCapabilities(capability(t))
        .putAllParameters(t.plugin().parameters())
        .putAllSecrets(secrets(t, CsiOperation.VALIDATE_VOLUME_CAPABILITIES));
  }

  static ListVolumesRequest listVolumes(int max, String token) {
    return ListVolumesRequest.newBuilder().setMaxEntries(max).setStartingToken(token).build();
  }

  static ControllerGetVolumeRequest get(String volume) {
    return ControllerGetVolumeRequest.newBuilder().setVolumeId(volume).build();
  }

  static ControllerModifyVolumeRequest.Builder modify(Trial t, String volume) {
    return ControllerModifyVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .putAllMutableParameters(t.plugin().mutableParameters())
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_MODIFY_VOLUME));
  }

  static ControllerExpandVolumeRequest.Builder expand(Trial t, String volume, long bytes) {
    return ControllerExpandVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .setCapacityRange(atLeast(bytes))
        .setVolumeCapability(capability(t))
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_EXPAND_VOLUME));
  }

  static CreateSnapshotRequest.Builder snapshot(Trial t, String volume) {
    return CreateSnapshotRequest.newBuilder()
        .setName(t.newName())
        .setSourceVolumeId(volume)
        .putAllParameters(t.plugin().snapshotParameters())
        .putAllSecrets(secrets(t, CsiOperation.CREATE_SNAPSHOT));
  }

  static DeleteSnapshotRequest deleteSnapshot(Trial t, String snapshot) {
    return DeleteSnapshotRequest.newBuilder()
        .setSnapshotId(snapshot)
        .putAllSecrets(secrets(t, CsiOperation.DELETE_SNAPSHOT))
        .build();
  }

  static GetSnapshotRequest getSnapshot(Trial t, String snapshot) {
    return GetSnapshotRequest.newBuilder()
        .setSnapshotId(snapshot)
        .putAllSecrets(secrets(t, CsiOperation.GET_SNAPSHOT))
        .build();
  }

  static ListSnapshotsRequest.Builder listSnapshots(Trial t) {
    return ListSnapshotsRequest.newBuilder().putAllSecrets(secrets(t, CsiOperation.LIST_SNAPSHOTS));
  }

  static CreateVolumeGroupSnapshotRequest.Builder group(Trial t, List<String> volumes) {
    return CreateVolumeGroupSnapshotRequest.newBuilder()
        .setName(t.newName())
        .addAllSourceVolumeIds(volumes)
        .putAllParameters(t.plugin().snapshotParameters())
        .putAllSecrets(secrets(t, CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT));
  }

  static DeleteVolumeGroupSnapshotRequest.Builder deleteGroup(Trial t, VolumeGroupSnapshot group) {
    return DeleteVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addAllSnapshotIds(members(group))
        .putAllSecrets(secrets(t, CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT));
  }

  static GetVolumeGroupSnapshotRequest.Builder getGroup(Trial t, VolumeGroupSnapshot group) {
    return GetVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addAllSnapshotIds(members(group))
        .putAllSecrets(secrets(t, CsiOperation.GET_VOLUME_GROUP_SNAPSHOT));
  }

  private static List<String> members(VolumeGroupSnapshot group) {
    return group.getSnapshotsList().stream().map(each -> each.getSnapshotId()).toList();
  }

  static GetMetadataAllocatedRequest.Builder allocated(Trial t, String snapshot) {
    return GetMetadataAllocatedRequest.newBuilder()
        .setSnapshotId(snapshot)
        .putAllSecrets(secrets(t, CsiOperation.GET_METADATA_ALLOCATED));
  }

  static GetMetadataDeltaRequest.Builder delta(Trial t, String base) {
    return GetMetadataDeltaRequest.newBuilder()
        .setBaseSnapshotId(base)
        .putAllSecrets(secrets(t, CsiOperation.GET_METADATA_DELTA));
  }

  static NodeStageVolumeRequest.Builder stage(Trial t, Volume volume, Map<String, String> publish)
      throws CaseEndedException {
    return NodeStageVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllPublishContext(publish)
        .setStagingTargetPath(t.paths().staging("staging"))
        .setVolumeCapability(capability(t))
        .putAllSecrets(secrets(t, CsiOperation.NODE_STAGE_VOLUME))
        .putAllVolumeContext(volume.getVolumeContextMap());
  }

  static NodeUnstageVolumeRequest.Builder unstage(Trial t, Volume volume)
      throws CaseEndedException {
    return NodeUnstageVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setStagingTargetPath(t.paths().staging("staging"));
  }

  static NodePublishVolumeRequest.Builder publish(
      Trial t, Volume volume, Map<String, String> publish) throws CaseEndedException {
    NodePublishVolumeRequest.Builder request =
        NodePublishVolumeRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .putAllPublishContext(publish)
            .setTargetPath(t.paths().target("target"))
            .setVolumeCapability(capability(t))
            .putAllSecrets(secrets(t, CsiOperation.NODE_PUBLISH_VOLUME))
            .putAllVolumeContext(volume.getVolumeContextMap());
    if (Needs.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return request;
  }

  static NodeUnpublishVolumeRequest.Builder unpublish(Trial t, Volume volume)
      throws CaseEndedException {
    return NodeUnpublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setTargetPath(t.paths().target("target"));
  }

  static NodeGetVolumeStatsRequest.Builder stats(Trial t, Volume volume) throws CaseEndedException {
    NodeGetVolumeStatsRequest.Builder request =
        NodeGetVolumeStatsRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .setVolumePath(t.paths().target("target"));
    if (Needs.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return request;
  }

  static NodeExpandVolumeRequest.Builder nodeExpand(Trial t, Volume volume, long bytes)
      throws CaseEndedException {
    NodeExpandVolumeRequest.Builder request =
        NodeExpandVolumeRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .setVolumePath(t.paths().target("target"))
            .setCapacityRange(atLeast(bytes))
            .setVolumeCapability(capability(t))
            .putAllSecrets(secrets(t, CsiOperation.NODE_EXPAND_VOLUME));
    if (Needs.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return request;
  }
}
