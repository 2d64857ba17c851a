package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.model.NodeId;
import java.util.Map;

/** Lawful requests, to be sent as they are or spoilt. */
final class Requests {

  static final long GIB = 1L << 30;
  static final VolumeCapability WRITER = mount(Mode.SINGLE_NODE_WRITER);
  static final VolumeCapability SHARED = mount(Mode.MULTI_NODE_MULTI_WRITER);
  static final VolumeCapability BLOCK = block(Mode.SINGLE_NODE_WRITER);

  private Requests() {}

  static VolumeCapability mount(Mode mode) {
    VolumeCapability.Builder made = VolumeCapability.newBuilder();
    made.getMountBuilder().setFsType("ext4");
    made.getAccessModeBuilder().setMode(mode);
    return made.build();
  }

  static VolumeCapability block(Mode mode) {
    VolumeCapability.Builder made = VolumeCapability.newBuilder();
    made.getBlockBuilder();
    made.getAccessModeBuilder().setMode(mode);
    return made.build();
  }

  static CapacityRange atLeast(long bytes) {
    return CapacityRange.newBuilder().setRequiredBytes(bytes).build();
  }

  static CapacityRange exactly(long bytes) {
    return CapacityRange.newBuilder().setRequiredBytes(bytes).setLimitBytes(bytes).build();
  }

  static CreateVolumeRequest.Builder newVolume(String name, VolumeCapability... capabilities) {
    CreateVolumeRequest.Builder made =
        CreateVolumeRequest.newBuilder().setName(name).setCapacityRange(atLeast(GIB));
    for (VolumeCapability capability : capabilities) {
      made.addVolumeCapabilities(capability);
    }
    return capabilities.length == 0 ? made.addVolumeCapabilities(WRITER) : made;
  }

  static Volume created(Asking plugin, String name, VolumeCapability... capabilities) {
    return created(plugin, newVolume(name, capabilities));
  }

  static Volume created(Asking plugin, CreateVolumeRequest.Builder request) {
    return plugin.ask(CreateVolumeResponse.class, request.build()).getVolume();
  }

  static DeleteVolumeRequest delete(Volume volume) {
    return DeleteVolumeRequest.newBuilder().setVolumeId(volume.getVolumeId()).build();
  }

  static ControllerPublishVolumeRequest.Builder attach(
      Volume volume, NodeId node, VolumeCapability capability) {
    return ControllerPublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setNodeId(node.value())
        .setVolumeCapability(capability)
        .putAllVolumeContext(volume.getVolumeContextMap());
  }

  static Map<String, String> attached(Asking plugin, Volume volume, VolumeCapability capability) {
    return attached(plugin, volume, Asking.ONE, capability);
  }

  static Map<String, String> attached(
      Asking plugin, Volume volume, NodeId node, VolumeCapability capability) {
    return plugin
        .ask(ControllerPublishVolumeResponse.class, attach(volume, node, capability).build())
        .getPublishContextMap();
  }

  static ControllerUnpublishVolumeRequest detach(Volume volume, String node) {
    return ControllerUnpublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setNodeId(node)
        .build();
  }

  static String staging(Volume volume) {
    return "/staging/" + volume.getVolumeId();
  }

  static NodeStageVolumeRequest.Builder stage(
      Volume volume, Map<String, String> context, VolumeCapability capability) {
    return NodeStageVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllPublishContext(context)
        .setStagingTargetPath(staging(volume))
        .setVolumeCapability(capability)
        .putAllVolumeContext(volume.getVolumeContextMap());
  }

  static NodeUnstageVolumeRequest unstage(Volume volume) {
    return NodeUnstageVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setStagingTargetPath(staging(volume))
        .build();
  }

  static NodePublishVolumeRequest.Builder publish(
      Volume volume, Map<String, String> context, VolumeCapability capability, String target) {
    return NodePublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .putAllPublishContext(context)
        .setStagingTargetPath(staging(volume))
        .setTargetPath(target)
        .setVolumeCapability(capability)
        .putAllVolumeContext(volume.getVolumeContextMap());
  }

  static NodeUnpublishVolumeRequest unpublish(Volume volume, String target) {
    return NodeUnpublishVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setTargetPath(target)
        .build();
  }

  /** Attaches, stages and publishes on the first node. */
  static Map<String, String> published(
      Asking plugin, Volume volume, VolumeCapability capability, String target) {
    Map<String, String> context = staged(plugin, volume, capability);
    plugin.ask(publish(volume, context, capability, target).build());
    return context;
  }

  /** Attaches and stages on the first node. */
  static Map<String, String> staged(Asking plugin, Volume volume, VolumeCapability capability) {
    Map<String, String> context = attached(plugin, volume, capability);
    plugin.ask(stage(volume, context, capability).build());
    return context;
  }

  static CreateSnapshotRequest snapshot(String name, Volume volume) {
    return CreateSnapshotRequest.newBuilder()
        .setName(name)
        .setSourceVolumeId(volume.getVolumeId())
        .build();
  }

  static Snapshot cut(Asking plugin, String name, Volume volume) {
    return plugin.ask(CreateSnapshotResponse.class, snapshot(name, volume)).getSnapshot();
  }

  static CreateVolumeRequest.Builder filledFrom(Snapshot snapshot, String name) {
    CreateVolumeRequest.Builder made = newVolume(name).clearCapacityRange();
    made.getVolumeContentSourceBuilder()
        .getSnapshotBuilder()
        .setSnapshotId(snapshot.getSnapshotId());
    return made;
  }

  static CreateVolumeRequest.Builder filledFrom(Volume volume, String name) {
    CreateVolumeRequest.Builder made = newVolume(name).clearCapacityRange();
    made.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(volume.getVolumeId());
    return made;
  }

  static ControllerExpandVolumeRequest expand(Volume volume, CapacityRange range) {
    return ControllerExpandVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setCapacityRange(range)
        .build();
  }
}
