package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.VolumeCapability.AccessType;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds lawful requests with the values of the plugin's description. */
final class LawfulRequests {

  /** The subject for requests that concern no object. */
  static final Message NOTHING = Volume.getDefaultInstance();

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

  /** A size of 4 EiB, which is larger than any storage. */
  static final long FAR_TOO_MUCH = Long.MAX_VALUE / 2;

  private LawfulRequests() {}

  /** Returns the capabilities in the description. The first is the usual capability. */
  static List<VolumeCapability> capabilities(Trial t) {
    return t.plugin().capabilities().stream().map(LawfulRequests::capability).toList();
  }

  static VolumeCapability capability(Trial t) {
    return capability(t.plugin().capabilities().get(0));
  }

  /** Returns the description's capability of this access type: filesystem or block device. */
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

  /**
   * Returns a capability that differs from the usual capability in its access type or in its access
   * mode.
   */
  static VolumeCapability otherCapability(Trial t) {
    VolumeCapability usual = capability(t);
    return capabilities(t).stream()
        .filter(each -> each.getAccessTypeCase() != usual.getAccessTypeCase())
        .findFirst()
        .orElseGet(() -> otherMode(t));
  }

  /** Returns the usual capability with another access mode. */
  static VolumeCapability otherMode(Trial t) {
    VolumeCapability usual = capability(t);
    return inMode(
        usual,
        usual.getAccessMode().getMode() == Mode.MULTI_NODE_MULTI_WRITER
            ? Mode.SINGLE_NODE_WRITER
            : Mode.MULTI_NODE_MULTI_WRITER);
  }

  static String name128(Trial t) {
    String name = t.newName() + "-";
    return name + "x".repeat(128 - name.length());
  }

  /** Returns twice the usual size of a volume. */
  static long bigger(Trial t) {
    return 2 * t.plugin().volumeBytes();
  }

  static CapacityRange atLeast(long bytes) {
    return CapacityRange.newBuilder().setRequiredBytes(bytes).build();
  }

  static CapacityRange range(long required, long limit) {
    return CapacityRange.newBuilder().setRequiredBytes(required).setLimitBytes(limit).build();
  }

  /**
   * Fills the fields of a request. The name of each field determines its value.
   *
   * @param about the subject of the request: a volume, a snapshot, a group snapshot, or a message
   *     whose fields have the same names as those of the request
   */
  static <B extends Message.Builder> B to(Trial t, B request, Message about) {
    Message empty = request.getDefaultInstanceForType();
    Map<String, Object> values = new HashMap<>();
    for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
      Object value = value(t, empty, field.getName(), about);
      if (value != null) {
        values.put(field.getName(), value);
      }
    }
    request.mergeFrom(MessageFields.with(empty, values));
    return request;
  }

  private static @Nullable Object value(Trial t, Message request, String field, Message about) {
    CsiOperation operation = RawPlugin.operation(request);
    return switch (field) {
      case "name" -> t.newName();
      case "secrets" -> secrets(t, request);
      case "node_id" -> node(t);
      case "volume_capability" ->
          new ProtoMessage(t.uses().getOrDefault(of(about, "volume_id"), capability(t)));
      case "volume_capabilities" -> List.of(new ProtoMessage(capability(t)));
      case "target_path", "volume_path" -> t.paths().target("target");
      case "staging_target_path" ->
          // NodeGetVolumeHealth does not require a staged volume.
          operation != CsiOperation.NODE_GET_VOLUME_HEALTH && Need.STAGING.met(t)
              ? t.paths().staging("staging")
              : null;
      case "publish_context" -> t.publishContexts().get(of(about, "volume_id"));
      case "capacity_range" -> new ProtoMessage(atLeast(t.plugin().volumeBytes()));
      case "source_volume_id" -> of(about, "volume_id");
      case "source_volume_ids" -> List.of(Objects.requireNonNull(of(about, "volume_id")));
      case "snapshot_ids" ->
          new ProtoMessage(about)
              .messages("snapshots").stream().map(each -> each.text("snapshot_id")).toList();
      case "parameters" ->
          switch (operation) {
            case CREATE_VOLUME -> t.plugin().parameters();
            case CREATE_SNAPSHOT, CREATE_VOLUME_GROUP_SNAPSHOT -> t.plugin().snapshotParameters();
            default -> null;
          };
      case "mutable_parameters" ->
          operation == CsiOperation.CONTROLLER_MODIFY_VOLUME
              ? t.plugin().mutableParameters()
              : null;
      default -> of(about, field);
    };
  }

  static Map<String, String> secrets(Trial t, Message request) {
    return t.plugin().secrets(RawPlugin.operation(request)).reveal();
  }

  /**
   * Returns the request that undoes another request. It has the same subject, and the secrets of
   * its own operation.
   */
  static Message undo(Trial t, Message request, Message undo) {
    Map<String, @Nullable Object> values = new HashMap<>();
    for (FieldDescriptor field : undo.getDescriptorForType().getFields()) {
      String name = field.getName();
      values.put(name, name.equals("secrets") ? secrets(t, undo) : of(request, name));
    }
    return MessageFields.with(undo, values);
  }

  /**
   * Returns the value of this field in the subject of a request; null if the subject has no such
   * field.
   */
  private static @Nullable Object of(Message about, String field) {
    FieldDescriptor same = about.getDescriptorForType().findFieldByName(field);
    if (same == null) {
      return null;
    }
    return same.isMapField() ? new ProtoMessage(about).map(field) : about.getField(same);
  }

  static CreateVolumeRequest.Builder toCreate(Trial t) {
    return toCreate(t, NOTHING);
  }

  /**
   * Returns a request to create a volume: a clone of a volume, a copy of a snapshot, or an empty
   * volume. The requested size is never smaller than the source.
   */
  static CreateVolumeRequest.Builder toCreate(Trial t, Message source) {
    CreateVolumeRequest.Builder request = to(t, CreateVolumeRequest.newBuilder(), source);
    Topology here = place(t);
    if (t.offers().has(PluginCapability.Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS)
        && here.getSegmentsCount() > 0) {
      request.setAccessibilityRequirements(
          TopologyRequirement.newBuilder().addRequisite(here).addPreferred(here));
    }
    return source == NOTHING ? request : toFill(t, request, source);
  }

  /** Changes a request so that the new volume is a copy of a volume or a snapshot. */
  static CreateVolumeRequest.Builder toFill(
      Trial t, CreateVolumeRequest.Builder request, Message source) {
    long size;
    if (source instanceof Snapshot snapshot) {
      size = snapshot.getSizeBytes();
      request
          .getVolumeContentSourceBuilder()
          .getSnapshotBuilder()
          .setSnapshotId(snapshot.getSnapshotId());
    } else {
      Volume volume = (Volume) source;
      size = volume.getCapacityBytes();
      request.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(volume.getVolumeId());
    }
    return request.setCapacityRange(atLeast(Math.max(t.plugin().volumeBytes(), size)));
  }

  /**
   * Returns the topology from which volumes must be accessible: the topology in the description, or
   * else the topology of the node.
   */
  static Topology place(Trial t) {
    Topology ofNode = t.offers().info().getAccessibleTopology();
    return t.plugin()
        .place()
        .map(each -> Topology.newBuilder().putAllSegments(each.segments()).build())
        .orElse(ofNode);
  }

  static DeleteVolumeRequest.Builder toDelete(Trial t, Volume volume) {
    return to(t, DeleteVolumeRequest.newBuilder(), volume);
  }

  /** Returns the id of the node, as the node service reports it. */
  private static String node(Trial t) {
    if (!t.offers().node()) {
      throw CaseEndedException.skipped(
          "no node service is served here that could report its " + "node_id");
    }
    return t.offers().info().getNodeId();
  }

  static ControllerPublishVolumeRequest.Builder toAttach(Trial t, Volume volume) {
    return to(t, ControllerPublishVolumeRequest.newBuilder(), volume);
  }

  static ControllerUnpublishVolumeRequest.Builder toDetach(Trial t, Volume volume) {
    return to(t, ControllerUnpublishVolumeRequest.newBuilder(), volume);
  }

  /**
   * Returns a request to list all volumes, with pages of this size; 0 lets the plugin choose the
   * size.
   */
  static ListVolumesRequest.Builder toList(int entries) {
    return ListVolumesRequest.newBuilder().setMaxEntries(entries);
  }

  static ControllerExpandVolumeRequest.Builder toExpand(Trial t, Volume volume, long bytes) {
    return to(t, ControllerExpandVolumeRequest.newBuilder(), volume)
        .setCapacityRange(atLeast(bytes));
  }

  static CreateSnapshotRequest.Builder toSnapshot(Trial t, Volume volume) {
    return to(t, CreateSnapshotRequest.newBuilder(), volume);
  }

  static DeleteSnapshotRequest.Builder toDeleteSnapshot(Trial t, Snapshot snapshot) {
    return to(t, DeleteSnapshotRequest.newBuilder(), snapshot);
  }

  static CreateVolumeGroupSnapshotRequest.Builder toGroup(Trial t, Volume volume) {
    return to(t, CreateVolumeGroupSnapshotRequest.newBuilder(), volume);
  }

  static DeleteVolumeGroupSnapshotRequest.Builder toDeleteGroup(
      Trial t, VolumeGroupSnapshot group) {
    return to(t, DeleteVolumeGroupSnapshotRequest.newBuilder(), group);
  }

  static NodeStageVolumeRequest.Builder toStage(Trial t, Volume volume) {
    return to(t, NodeStageVolumeRequest.newBuilder(), volume);
  }

  static NodePublishVolumeRequest.Builder toPublish(Trial t, Volume volume) {
    return to(t, NodePublishVolumeRequest.newBuilder(), volume);
  }

  static NodeUnpublishVolumeRequest.Builder toUnpublish(Trial t, Volume volume) {
    return to(t, NodeUnpublishVolumeRequest.newBuilder(), volume);
  }

  static NodeExpandVolumeRequest.Builder toExpandOnNode(Trial t, Volume volume, long bytes) {
    return to(t, NodeExpandVolumeRequest.newBuilder(), volume).setCapacityRange(atLeast(bytes));
  }
}
