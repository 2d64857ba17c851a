package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.Quirk;

/** Volumes at the paths of workloads. */
@SuppressWarnings("try") // What is held is held for its time.
final class PublishService {

  private final BackendParts ground;

  PublishService(BackendParts ground) {
    this.ground = ground;
  }

  NodePublishVolumeResponse publish(Call call, NodePublishVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    String target = request.getTargetPath();
    Capabilities.checkAtNode(call.shape(), "volume_capability", request.getVolumeCapability());
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      VolumeService.checkContext(volume, request.getVolumeContextMap());
      NodePublishVolumeRequest before = ground.now().publications().get(call.onThisNode(target));
      if (before != null) {
        same(before, request);
      }
      StageService.usable(ground, call, volume, request.getVolumeCapability());
      StageService.attached(ground, call, id, request.getPublishContextMap());
      staged(call, request);
      if (before == null) {
        others(call, request);
      }
      if (!call.shape().has(Quirk.TARGET_NEVER_MADE)) {
        Knowledge.effect(
            "Publishing the volume " + SafeText.quote(id), () -> ground.storage().publish(request));
      }
      if (before == null) {
        NodePublishVolumeRequest asked = request.toBuilder().clearSecrets().build();
        ground
            .knowledge()
            .change(state -> state.publications().put(call.onThisNode(target), asked));
      }
      return NodePublishVolumeResponse.getDefaultInstance();
    }
  }

  private static void same(NodePublishVolumeRequest before, NodePublishVolumeRequest request)
      throws Refusal {
    String target = SafeText.quote(request.getTargetPath());
    if (!before.getVolumeId().equals(request.getVolumeId())) {
      throw Refusal.exists(
          "Volume "
              + SafeText.quote(before.getVolumeId())
              + " is published at "
              + target
              + ". Give every volume a target_path of its own.");
    }
    if (!before.getVolumeCapability().equals(request.getVolumeCapability())
        || before.getReadonly() != request.getReadonly()) {
      throw Refusal.exists(
          "Volume "
              + SafeText.quote(request.getVolumeId())
              + " is published at "
              + target
              + " with another volume_capability or readonly. Send the same, or unpublish it"
              + " first.");
    }
  }

  private void staged(Call call, NodePublishVolumeRequest request) throws Refusal {
    if (!call.shape().offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      return;
    }
    String path = request.getStagingTargetPath();
    NodeStageVolumeRequest staging =
        ground.now().stagings().get(call.onThisNode(request.getVolumeId()));
    if (path.isEmpty() || staging == null) {
      throw Refusal.precondition(
          path.isEmpty()
              ? "staging_target_path is not set, and this plugin stages volumes"
                  + " (STAGE_UNSTAGE_VOLUME). Stage the volume, and send the path."
              : "Volume "
                  + SafeText.quote(request.getVolumeId())
                  + " is not staged on this node. Call NodeStageVolume first.");
    }
    if (!staging.getStagingTargetPath().equals(path)) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(request.getVolumeId())
              + " is staged at "
              + SafeText.quote(staging.getStagingTargetPath())
              + ", not at "
              + SafeText.quote(path)
              + ". Send the path where it is staged.");
    }
  }

  private void others(Call call, NodePublishVolumeRequest request) throws Refusal {
    Mode mode = Capabilities.mode(request.getVolumeCapability());
    boolean several = Capabilities.multiNode(mode) || mode == Mode.SINGLE_NODE_MULTI_WRITER;
    for (NodePublishVolumeRequest other :
        VolumeUses.publishedOn(ground.now(), request.getVolumeId(), call.here())) {
      boolean sameUse = other.getVolumeCapability().equals(request.getVolumeCapability());
      if (!several || !sameUse) {
        throw Refusal.precondition(
            "Volume "
                + SafeText.quote(request.getVolumeId())
                + " is published on this node at "
                + SafeText.quote(other.getTargetPath())
                + (sameUse
                    ? ", and " + mode + " allows one target"
                    : " with another volume_capability")
                + ". Unpublish it there first.");
      }
    }
  }

  /** Whether no workload may write through this target. */
  static boolean readOnly(NodePublishVolumeRequest request) {
    return request.getReadonly() || Capabilities.readOnly(request.getVolumeCapability());
  }

  NodeUnpublishVolumeResponse unpublish(Call call, NodeUnpublishVolumeRequest request)
      throws Refusal {
    String id = request.getVolumeId();
    String target = request.getTargetPath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      ground.volume("volume_id", id);
      NodePublishVolumeRequest before = ground.now().publications().get(call.onThisNode(target));
      if (before != null && !before.getVolumeId().equals(id)) {
        throw Refusal.invalid(
            "target_path",
            SafeText.quote(target)
                + " is where volume "
                + SafeText.quote(before.getVolumeId())
                + " is published. Send the path of this volume.");
      }
      Knowledge.effect(
          "Unpublishing the volume " + SafeText.quote(id),
          () -> ground.storage().unpublish(id, target, call.shape().has(Quirk.TARGET_LEFT_BEHIND)));
      if (before != null) {
        ground.knowledge().change(state -> state.publications().remove(call.onThisNode(target)));
      }
      return NodeUnpublishVolumeResponse.getDefaultInstance();
    }
  }
}
