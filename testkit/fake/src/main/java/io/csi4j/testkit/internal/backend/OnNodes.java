package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Volumes that are at a path of a node already: how full they are, and how they grow. */
@SuppressWarnings("try") // What is held is held for its time.
final class OnNodes {

  private final BackendParts ground;
  private final VolumeService volumes;

  OnNodes(BackendParts ground, VolumeService volumes) {
    this.ground = ground;
    this.volumes = volumes;
  }

  NodeGetVolumeStatsResponse stats(Call call, NodeGetVolumeStatsRequest request) throws Refusal {
    String id = request.getVolumeId();
    String path = request.getVolumePath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      VolumeCapability use = at(call, id, path);
      NodeGetVolumeStatsResponse.Builder answer = NodeGetVolumeStatsResponse.newBuilder();
      if (call.shape().offers(NodeCapability.GET_VOLUME_STATS)) {
        List<VolumeUsage> usage = new ArrayList<>();
        Knowledge.effect(
            "Reading the statistics of volume " + SafeText.quote(id),
            () -> usage.addAll(ground.storage().usage(volume.volume(), path)));
        usage.stream()
            .filter(each -> !use.hasBlock() || each.getUnit() == VolumeUsage.Unit.BYTES)
            .forEach(answer::addUsage);
      }
      if (call.shape().offers(NodeCapability.VOLUME_CONDITION)) {
        answer.setVolumeCondition(ground.condition(id));
      }
      return answer.build();
    }
  }

  /** How the volume is used at the path, or NOT_FOUND if it is not there. */
  private VolumeCapability at(Call call, String id, String path) throws Refusal {
    NodePublishVolumeRequest published = ground.now().publications().get(call.onThisNode(path));
    if (published != null && published.getVolumeId().equals(id)) {
      return published.getVolumeCapability();
    }
    NodeStageVolumeRequest staged = ground.now().stagings().get(call.onThisNode(id));
    if (staged != null && staged.getStagingTargetPath().equals(path)) {
      return staged.getVolumeCapability();
    }
    throw new Refusal(
        io.csi4j.client.model.StatusCode.NOT_FOUND,
        "Volume "
            + SafeText.quote(id)
            + " is not at volume_path "
            + SafeText.quote(path)
            + " on this node. Send a path where it is staged or published now.");
  }

  NodeExpandVolumeResponse expand(Call call, NodeExpandVolumeRequest request) throws Refusal {
    PluginShape shape = call.shape();
    String id = request.getVolumeId();
    String path = request.getVolumePath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      if (request.hasVolumeCapability()) {
        Capabilities.checkAtNode(shape, "volume_capability", request.getVolumeCapability());
        Optional<String> not =
            Capabilities.unsupported(shape, volume, request.getVolumeCapability());
        if (not.isPresent()) {
          throw Refusal.invalid("volume_capability", not.get() + ". Send one of those.");
        }
      }
      at(call, id, path);
      if (!shape.offers(PluginCapability.VOLUME_EXPANSION_ONLINE)
          && !shape.offers(PluginCapability.VOLUME_EXPANSION_OFFLINE)) {
        throw Refusal.precondition(
            "The filesystem of volume "
                + SafeText.quote(id)
                + " cannot grow while it is staged or published. This plugin has no volume"
                + " expansion.");
      }
      long had = volume.volume().getCapacityBytes();
      long bytes = VolumeSizes.ofGrown(shape, request.getCapacityRange(), had);
      if (bytes > had) {
        if (shape.offers(ControllerCapability.EXPAND_VOLUME)) {
          throw VolumeSizes.outOfRange(
              "required_bytes "
                  + bytes
                  + " is more than the volume has, which is "
                  + had
                  + "; ControllerExpandVolume comes first");
        }
        volumes.grow(shape, id, had, bytes);
      }
      Knowledge.effect(
          "Expanding the volume " + SafeText.quote(id) + " on the node",
          () -> ground.storage().expandOnNode(id, path, bytes));
      return NodeExpandVolumeResponse.newBuilder().setCapacityBytes(bytes).build();
    }
  }
}
