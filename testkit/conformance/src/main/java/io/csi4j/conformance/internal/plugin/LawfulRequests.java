package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
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
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.AccessType;
import io.csi4j.client.model.MountFlags;
import io.csi4j.testkit.internal.journal.MessageFields;
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

  static VolumeCapability capability(Trial t) {
    return capability(t.plugin().capabilities().get(0));
  }

  /** How volumes are used as filesystems, or as block devices. */
  static VolumeCapability capability(Trial t, VolumeCapability.AccessTypeCase type) {
    return capabilities(t).stream()
        .filter(each -> each.getAccessTypeCase() == type)
        .findFirst()
        .orElseThrow(() -> CaseEndedException.skipped("no capability of type " + type));
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
    AccessMode mode = from.accessMode();
    return inMode(
        to.build(), mode.isStated() ? Mode.valueOf(mode.name()) : Mode.SINGLE_NODE_WRITER);
  }

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

  static VolumeContentSource sourceOf(Snapshot snapshot) {
    return VolumeContentSource.newBuilder()
        .setSnapshot(
            VolumeContentSource.SnapshotSource.newBuilder().setSnapshotId(snapshot.getSnapshotId()))
        .build();
  }

  static String name128(Trial t) {
    String name = t.newName() + "-";
    return name + "x".repeat(128 - name.length());
  }

  /** Twice the usual size of a volume. */
  static long bigger(Trial t) {
    return 2 * t.plugin().volumeBytes();
  }

  static CapacityRange atLeast(long bytes) {
    return CapacityRange.newBuilder().setRequiredBytes(bytes).build();
  }

  static CapacityRange range(long required, long limit) {
    return CapacityRange.newBuilder().setRequiredBytes(required).setLimitBytes(limit).build();
  }

  private static <B extends Message.Builder> B filled(Trial t, B request) {
    return filled(t, request, Volume.getDefaultInstance());
  }

  /** Fills those fields of a request, about a volume, whose values follow from their names. */
  private static <B extends Message.Builder> B filled(Trial t, B request, Volume volume) {
    for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
      switch (field.getName()) {
        case "name" -> request.setField(field, t.newName());
        case "volume_id" -> request.setField(field, volume.getVolumeId());
        case "volume_context" -> add(request, field, volume.getVolumeContextMap());
        case "node_id" -> request.setField(field, node(t));
        case "volume_capability" ->
            request.setField(field, t.uses().getOrDefault(volume.getVolumeId(), capability(t)));
        case "volume_capabilities" -> request.addRepeatedField(field, capability(t));
        case "target_path", "volume_path" -> request.setField(field, t.paths().target("target"));
        case "staging_target_path" -> {
          if (Need.STAGING.met(t)) {
            request.setField(field, t.paths().staging("staging"));
          }
        }
        case "secrets" -> add(request, field, secrets(t, request.getDefaultInstanceForType()));
        default -> {}
      }
    }
    return request;
  }

  static Map<String, String> secrets(Trial t, Message request) {
    return t.plugin().secrets(RawPlugin.operation(request)).reveal();
  }

  private static void add(
      Message.Builder request, FieldDescriptor map, Map<String, String> entries) {
    Message empty = request.getDefaultInstanceForType();
    request.mergeFrom(MessageFields.with(empty, Map.of(map.getName(), entries)));
  }

  /** The request that undoes another one: about the same, and with secrets of its own. */
  static Message undo(Trial t, Message request, Message.Builder undo) {
    for (FieldDescriptor field : undo.getDescriptorForType().getFields()) {
      FieldDescriptor same = request.getDescriptorForType().findFieldByName(field.getName());
      if (field.isMapField()) {
        add(undo, field, secrets(t, undo.getDefaultInstanceForType()));
      } else {
        undo.setField(field, request.getField(same));
      }
    }
    return undo.build();
  }

  static CreateVolumeRequest.Builder toCreate(Trial t) {
    CreateVolumeRequest.Builder request =
        filled(t, CreateVolumeRequest.newBuilder())
            .setCapacityRange(atLeast(t.plugin().volumeBytes()))
            .putAllParameters(t.plugin().parameters());
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
    CreateVolumeRequest.Builder request =
        toCreate(t)
            .setCapacityRange(
                atLeast(Math.max(t.plugin().volumeBytes(), volume.getCapacityBytes())));
    request.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(volume.getVolumeId());
    return request;
  }

  /** Where volumes have to be accessible: as the description says, or where the node is. */
  static Topology place(Trial t) {
    Topology ofNode = t.offers().info().getAccessibleTopology();
    return t.plugin()
        .place()
        .map(each -> Topology.newBuilder().putAllSegments(each.segments()).build())
        .orElse(ofNode);
  }

  static DeleteVolumeRequest.Builder toDelete(Trial t, Volume volume) {
    return filled(t, DeleteVolumeRequest.newBuilder(), volume);
  }

  /** The id of the node, which its own service tells. */
  private static String node(Trial t) {
    if (!t.offers().node()) {
      throw CaseEndedException.skipped("no node service is served here to tell its node_id");
    }
    return t.offers().info().getNodeId();
  }

  static ControllerPublishVolumeRequest.Builder toAttach(Trial t, Volume volume) {
    return filled(t, ControllerPublishVolumeRequest.newBuilder(), volume);
  }

  static ControllerUnpublishVolumeRequest.Builder toDetach(Trial t, Volume volume) {
    return filled(t, ControllerUnpublishVolumeRequest.newBuilder(), volume);
  }

  static ValidateVolumeCapabilitiesRequest.Builder toValidate(Trial t, Volume volume) {
    return filled(t, ValidateVolumeCapabilitiesRequest.newBuilder(), volume);
  }

  /** A list of all volumes, in pages of so many; 0 for pages of any size. */
  static ListVolumesRequest.Builder toList(int entries) {
    return ListVolumesRequest.newBuilder().setMaxEntries(entries);
  }

  static ControllerGetVolumeRequest.Builder toGet(Trial t, Volume volume) {
    return filled(t, ControllerGetVolumeRequest.newBuilder(), volume);
  }

  static ControllerListVolumeHealthRequest.Builder toListHealth(Trial t, int entries) {
    return filled(t, ControllerListVolumeHealthRequest.newBuilder()).setMaxEntries(entries);
  }

  static ControllerGetVolumeHealthRequest.Builder toGetHealth(Trial t, Volume volume) {
    return filled(t, ControllerGetVolumeHealthRequest.newBuilder(), volume);
  }

  static NodeGetVolumeHealthRequest.Builder toGetHealthOnNode(Volume volume) {
    return NodeGetVolumeHealthRequest.newBuilder().setVolumeId(volume.getVolumeId());
  }

  static NodeGetStorageHealthRequest.Builder toGetStorageHealth(Trial t) {
    return filled(t, NodeGetStorageHealthRequest.newBuilder());
  }

  static ControllerModifyVolumeRequest.Builder toModify(Trial t, Volume volume) {
    return filled(t, ControllerModifyVolumeRequest.newBuilder(), volume)
        .putAllMutableParameters(t.plugin().mutableParameters());
  }

  static ControllerExpandVolumeRequest.Builder toExpand(Trial t, Volume volume, long bytes) {
    return filled(t, ControllerExpandVolumeRequest.newBuilder(), volume)
        .setCapacityRange(atLeast(bytes));
  }

  static CreateSnapshotRequest.Builder toSnapshot(Trial t, Volume volume) {
    return filled(t, CreateSnapshotRequest.newBuilder())
        .setSourceVolumeId(volume.getVolumeId())
        .putAllParameters(t.plugin().snapshotParameters());
  }

  static DeleteSnapshotRequest.Builder toDeleteSnapshot(Trial t, Snapshot snapshot) {
    return filled(t, DeleteSnapshotRequest.newBuilder()).setSnapshotId(snapshot.getSnapshotId());
  }

  static GetSnapshotRequest.Builder toGetSnapshot(Trial t, Snapshot snapshot) {
    return filled(t, GetSnapshotRequest.newBuilder()).setSnapshotId(snapshot.getSnapshotId());
  }

  static ListSnapshotsRequest.Builder toListSnapshots(Trial t) {
    return filled(t, ListSnapshotsRequest.newBuilder());
  }

  static CreateVolumeGroupSnapshotRequest.Builder toGroup(Trial t, Volume... volumes) {
    return filled(t, CreateVolumeGroupSnapshotRequest.newBuilder())
        .addAllSourceVolumeIds(Arrays.stream(volumes).map(Volume::getVolumeId).toList())
        .putAllParameters(t.plugin().snapshotParameters());
  }

  static DeleteVolumeGroupSnapshotRequest.Builder toDeleteGroup(
      Trial t, VolumeGroupSnapshot group) {
    return filled(t, DeleteVolumeGroupSnapshotRequest.newBuilder())
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addAllSnapshotIds(members(group));
  }

  static GetVolumeGroupSnapshotRequest.Builder toGetGroup(Trial t, VolumeGroupSnapshot group) {
    return filled(t, GetVolumeGroupSnapshotRequest.newBuilder())
        .setGroupSnapshotId(group.getGroupSnapshotId())
        .addAllSnapshotIds(members(group));
  }

  private static List<String> members(VolumeGroupSnapshot group) {
    return group.getSnapshotsList().stream().map(each -> each.getSnapshotId()).toList();
  }

  static GetMetadataAllocatedRequest.Builder toReadAllocated(Trial t, Snapshot snapshot) {
    return filled(t, GetMetadataAllocatedRequest.newBuilder())
        .setSnapshotId(snapshot.getSnapshotId());
  }

  static GetMetadataDeltaRequest.Builder toReadDelta(Trial t, Snapshot base, Snapshot target) {
    return filled(t, GetMetadataDeltaRequest.newBuilder())
        .setBaseSnapshotId(base.getSnapshotId())
        .setTargetSnapshotId(target.getSnapshotId());
  }

  static NodeStageVolumeRequest.Builder toStage(
      Trial t, Volume volume, Map<String, String> publish) {
    return filled(t, NodeStageVolumeRequest.newBuilder(), volume).putAllPublishContext(publish);
  }

  static NodeUnstageVolumeRequest.Builder toUnstage(Trial t, Volume volume) {
    return filled(t, NodeUnstageVolumeRequest.newBuilder(), volume);
  }

  static NodePublishVolumeRequest.Builder toPublish(
      Trial t, Volume volume, Map<String, String> publish) {
    return filled(t, NodePublishVolumeRequest.newBuilder(), volume).putAllPublishContext(publish);
  }

  static NodeUnpublishVolumeRequest.Builder toUnpublish(Trial t, Volume volume) {
    return filled(t, NodeUnpublishVolumeRequest.newBuilder(), volume);
  }

  static NodeGetVolumeStatsRequest.Builder toReadStats(Trial t, Volume volume) {
    return filled(t, NodeGetVolumeStatsRequest.newBuilder(), volume);
  }

  static NodeExpandVolumeRequest.Builder toExpandOnNode(Trial t, Volume volume, long bytes) {
    return filled(t, NodeExpandVolumeRequest.newBuilder(), volume).setCapacityRange(atLeast(bytes));
  }
}
