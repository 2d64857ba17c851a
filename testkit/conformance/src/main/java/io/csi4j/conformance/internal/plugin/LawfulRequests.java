package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
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
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.AccessType;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Lawful requests, with all that the plugin's description has for them. */
final class LawfulRequests {

  static final Volume NO_SUCH_VOLUME =
      Volume.newBuilder().setVolumeId("csi4j-no-such-volume").build();
  static final Snapshot NO_SUCH_SNAPSHOT =
      Snapshot.newBuilder().setSnapshotId("csi4j-no-such-snapshot").build();
  static final VolumeGroupSnapshot NO_SUCH_GROUP =
      VolumeGroupSnapshot.newBuilder()
          .setGroupSnapshotId("csi4j-no-such-group-snapshot")
          .addSnapshots(NO_SUCH_SNAPSHOT)
          .build();
  static final String NO_SUCH_NODE = "csi4j-no-such-node";

  /** More bytes than any storage has: 4 EiB. */
  static final long FAR_TOO_MUCH = Long.MAX_VALUE / 2;

  private LawfulRequests() {}

  /** How volumes are used, as the description says, the usual way first. */
  static List<VolumeCapability> capabilities(Trial t) {
    return t.plugin().capabilities().stream().map(LawfulRequests::capability).toList();
  }

  /** How volumes are usually used. */
  static VolumeCapability capability(Trial t) {
    return capability(t.plugin().capabilities().get(0));
  }

  /** How volumes are used as filesystems, or as block devices. */
  static VolumeCapability capability(Trial t, VolumeCapability.AccessTypeCase type) {
    return capabilities(t).stream()
        .filter(each -> each.getAccessTypeCase() == type)
        .findFirst()
        .orElseThrow(() -> new CaseEndedException.Skipped("no capability of type " + type));
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
        .orElseGet(() -> otherMode(t));
  }

  /** The usual capability in another access mode. */
  static VolumeCapability otherMode(Trial t) {
    VolumeCapability usual = capability(t);
    return inMode(
        usual,
        usual.getAccessMode().getMode() == Mode.MULTI_NODE_MULTI_WRITER
            ? Mode.SINGLE_NODE_WRITER
            : Mode.MULTI_NODE_MULTI_WRITER);
  }

  /** A snapshot as the source of a volume. */
  static VolumeContentSource sourceOf(Snapshot snapshot) {
    return VolumeContentSource.newBuilder()
        .setSnapshot(
            VolumeContentSource.SnapshotSource.newBuilder().setSnapshotId(snapshot.getSnapshotId()))
        .build();
  }

  /** A name of 128 bytes. */
  static String name128(Trial t) {
    String name = t.newName() + "-";
    return name + "x".repeat(128 - name.length());
  }

  /** Twice the usual size of a volume. */
  static long bigger(Trial t) {
    return 2 * t.plugin().volumeBytes();
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

  static CreateVolumeRequest.Builder toCreate(Trial t) {
    CreateVolumeRequest.Builder request =
        CreateVolumeRequest.newBuilder()
            .setName(t.newName())
            .setCapacityRange(atLeast(t.plugin().volumeBytes()))
            .addVolumeCapabilities(capability(t))
            .putAllParameters(t.plugin().parameters())
            .putAllSecrets(secrets(t, CsiOperation.CREATE_VOLUME));
    Topology here = place(t);
    if (t.offers().has(PluginCapability.Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS)
        && here.getSegmentsCount() > 0) {
      request.setAccessibilityRequirements(
          TopologyRequirement.newBuilder().addRequisite(here).addPreferred(here));
    }
    return request;
  }

  /** A volume from a snapshot, which is not asked to be smaller than that. */
  static CreateVolumeRequest.Builder toFill(Trial t, Snapshot snapshot) {
    return toFill(t, toCreate(t), snapshot);
  }

  /** The request for a volume, changed to one from a snapshot. */
  static CreateVolumeRequest.Builder toFill(
      Trial t, CreateVolumeRequest.Builder request, Snapshot snapshot) {
    return request
        .setCapacityRange(atLeast(Math.max(t.plugin().volumeBytes(), snapshot.getSizeBytes())))
        .setVolumeContentSource(sourceOf(snapshot));
  }

  /** A clone of a volume, which is not asked to be smaller than that. */
  static CreateVolumeRequest.Builder toClone(Trial t, Volume volume) {
    return toCreate(t)
        .setCapacityRange(atLeast(Math.max(t.plugin().volumeBytes(), volume.getCapacityBytes())))
        .setVolumeContentSource(
            VolumeContentSource.newBuilder()
                .setVolume(
                    VolumeContentSource.VolumeSource.newBuilder()
                        .setVolumeId(volume.getVolumeId())));
  }

  /** Where volumes have to be accessible: as the description says, or where the node is. */
  static Topology place(Trial t) {
    Topology ofNode = t.offers().info().getAccessibleTopology();
    return t.plugin()
        .place()
        .map(each -> Topology.newBuilder().putAllSegments(each.segments()).build())
        .orElse(ofNode);
  }

  static DeleteVolumeRequest toDelete(Trial t, Volume volume) {
    return DeleteVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllSecrets(secrets(t, CsiOperation.DELETE_VOLUME))
        .build();
  }

  /** The id of the node, which its own service tells. */
  private static String node(Trial t) {
    if (!t.offers().node()) {
      throw new CaseEndedException.Skipped("no node service is served here to tell its node_id");
    }
    return t.offers().info().getNodeId();
  }

  static ControllerPublishVolumeRequest.Builder toAttach(Trial t, Volume volume) {
    return ControllerPublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setNodeId(node(t))
        .setVolumeCapability(capability(t))
        .putAllVolumeContext(volume.getVolumeContextMap())
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_PUBLISH_VOLUME));
  }

  static ControllerUnpublishVolumeRequest.Builder toDetach(Trial t, Volume volume) {
    return ControllerUnpublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setNodeId(node(t))
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME));
  }

  static ValidateVolumeCapabilitiesRequest.Builder toValidate(Trial t, Volume volume) {
    return ValidateVolumeCapabilitiesRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllVolumeContext(volume.getVolumeContextMap())
        .addVolumeCapabilities(capability(t))
        .putAllSecrets(secrets(t, CsiOperation.VALIDATE_VOLUME_CAPABILITIES));
  }

  /** A list of all volumes, in pages of so many; 0 for pages of any size. */
  static ListVolumesRequest.Builder toList(int entries) {
    return ListVolumesRequest.newBuilder().setMaxEntries(entries);
  }

  static ControllerGetVolumeRequest toGet(Volume volume) {
    return ControllerGetVolumeRequest.newBuilder().setVolumeId(volume.getVolumeId()).build();
  }

  static ControllerListVolumeHealthRequest.Builder toListHealth(Trial t, int entries) {
    return ControllerListVolumeHealthRequest.newBuilder()
        .setMaxEntries(entries)
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH));
  }

  static ControllerGetVolumeHealthRequest.Builder toGetHealth(Trial t, Volume volume) {
    return ControllerGetVolumeHealthRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_GET_VOLUME_HEALTH));
  }

  static NodeGetVolumeHealthRequest.Builder toGetHealthOnNode(Volume volume) {
    return NodeGetVolumeHealthRequest.newBuilder().setVolumeId(volume.getVolumeId());
  }

  static NodeGetStorageHealthRequest.Builder toGetStorageHealth(Trial t) {
    return NodeGetStorageHealthRequest.newBuilder()
        .putAllSecrets(secrets(t, CsiOperation.NODE_GET_STORAGE_HEALTH));
  }

  static ControllerModifyVolumeRequest.Builder toModify(Trial t, Volume volume) {
    return ControllerModifyVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllMutableParameters(t.plugin().mutableParameters())
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_MODIFY_VOLUME));
  }

  static ControllerExpandVolumeRequest.Builder toExpand(Trial t, Volume volume, long bytes) {
    return ControllerExpandVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setCapacityRange(atLeast(bytes))
        .setVolumeCapability(capability(t))
        .putAllSecrets(secrets(t, CsiOperation.CONTROLLER_EXPAND_VOLUME));
  }

  static CreateSnapshotRequest.Builder toSnapshot(Trial t, Volume volume) {
    return CreateSnapshotRequest.newBuilder()
        .setName(t.newName())
        .setSourceVolumeId(volume.getVolumeId())
        .putAllParameters(t.plugin().snapshotParameters())
        .putAllSecrets(secrets(t, CsiOperation.CREATE_SNAPSHOT));
  }

  static DeleteSnapshotRequest toDeleteSnapshot(Trial t, Snapshot snapshot) {
    return DeleteSnapshotRequest.newBuilder()
        .setSnapshotId(snapshot.getSnapshotId())
        .putAllSecrets(secrets(t, CsiOperation.DELETE_SNAPSHOT))
        .build();
  }

  static GetSnapshotRequest toGetSnapshot(Trial t, Snapshot snapshot) {
    return GetSnapshotRequest.newBuilder()
        .setSnapshotId(snapshot.getSnapshotId())
        .putAllSecrets(secrets(t, CsiOperation.GET_SNAPSHOT))
        .build();
  }

  static ListSnapshotsRequest.Builder toListSnapshots(Trial t) {
    return ListSnapshotsRequest.newBuilder().putAllSecrets(secrets(t, CsiOperation.LIST_SNAPSHOTS));
  }

  static CreateVolumeGroupSnapshotRequest.Builder toGroup(Trial t, Volume... volumes) {
    return CreateVolumeGroupSnapshotRequest.newBuilder()
        .setName(t.newName())
        .addAllSourceVolumeIds(Arrays.stream(volumes).map(Volume::getVolumeId).toList())
        .putAllParameters(t.plugin().snapshotParameters())
        .putAllSecrets(secrets(t, CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT));
  }

  static DeleteVolumeGroupSnapshotRequest.Builder toDeleteGroup(
      Trial t, VolumeGroupSnapshot group) {
    return DeleteVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addAllSnapshotIds(members(group))
        .putAllSecrets(secrets(t, CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT));
  }

  static GetVolumeGroupSnapshotRequest.Builder toGetGroup(Trial t, VolumeGroupSnapshot group) {
    return GetVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addAllSnapshotIds(members(group))
        .putAllSecrets(secrets(t, CsiOperation.GET_VOLUME_GROUP_SNAPSHOT));
  }

  private static List<String> members(VolumeGroupSnapshot group) {
    return group.getSnapshotsList().stream().map(each -> each.getSnapshotId()).toList();
  }

  static GetMetadataAllocatedRequest.Builder toReadAllocated(Trial t, Snapshot snapshot) {
    return GetMetadataAllocatedRequest.newBuilder()
        .setSnapshotId(snapshot.getSnapshotId())
        .putAllSecrets(secrets(t, CsiOperation.GET_METADATA_ALLOCATED));
  }

  static GetMetadataDeltaRequest.Builder toReadDelta(Trial t, Snapshot base, Snapshot target) {
    return GetMetadataDeltaRequest.newBuilder()
        .setBaseSnapshotId(base.getSnapshotId())
        .setTargetSnapshotId(target.getSnapshotId())
        .putAllSecrets(secrets(t, CsiOperation.GET_METADATA_DELTA));
  }

  static NodeStageVolumeRequest.Builder toStage(
      Trial t, Volume volume, Map<String, String> publish) {
    return NodeStageVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllPublishContext(publish)
        .setStagingTargetPath(t.paths().staging("staging"))
        .setVolumeCapability(capability(t))
        .putAllSecrets(secrets(t, CsiOperation.NODE_STAGE_VOLUME))
        .putAllVolumeContext(volume.getVolumeContextMap());
  }

  static NodeUnstageVolumeRequest.Builder toUnstage(Trial t, Volume volume) {
    return NodeUnstageVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setStagingTargetPath(t.paths().staging("staging"));
  }

  static NodePublishVolumeRequest.Builder toPublish(
      Trial t, Volume volume, Map<String, String> publish) {
    NodePublishVolumeRequest.Builder request =
        NodePublishVolumeRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .putAllPublishContext(publish)
            .setTargetPath(t.paths().target("target"))
            .setVolumeCapability(capability(t))
            .putAllSecrets(secrets(t, CsiOperation.NODE_PUBLISH_VOLUME))
            .putAllVolumeContext(volume.getVolumeContextMap());
    if (Need.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return request;
  }

  static NodeUnpublishVolumeRequest.Builder toUnpublish(Trial t, Volume volume) {
    return NodeUnpublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setTargetPath(t.paths().target("target"));
  }

  static NodeGetVolumeStatsRequest.Builder toReadStats(Trial t, Volume volume) {
    NodeGetVolumeStatsRequest.Builder request =
        NodeGetVolumeStatsRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .setVolumePath(t.paths().target("target"));
    if (Need.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return request;
  }

  static NodeExpandVolumeRequest.Builder toExpandOnNode(Trial t, Volume volume, long bytes) {
    NodeExpandVolumeRequest.Builder request =
        NodeExpandVolumeRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .setVolumePath(t.paths().target("target"))
            .setCapacityRange(atLeast(bytes))
            .setVolumeCapability(capability(t))
            .putAllSecrets(secrets(t, CsiOperation.NODE_EXPAND_VOLUME));
    if (Need.STAGING.met(t)) {
      request.setStagingTargetPath(t.paths().staging("staging"));
    }
    return request;
  }
}
