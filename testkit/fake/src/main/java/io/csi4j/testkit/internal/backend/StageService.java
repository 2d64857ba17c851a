package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import java.util.Map;
import java.util.Optional;

/** Volumes that are made ready once per node. */
@SuppressWarnings("try") // What is held is held for its time.
final class StageService {

  private final BackendParts ground;

  StageService(BackendParts ground) {
    this.ground = ground;
  }

  NodeStageVolumeResponse stage(Call call, NodeStageVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    Capabilities.checkAtNode(call.shape(), "volume_capability", request.getVolumeCapability());
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      VolumeService.checkContext(volume, request.getVolumeContextMap());
      NodeStageVolumeRequest before = ground.now().stagings().get(call.onThisNode(id));
      if (before != null) {
        same(before, request);
      }
      usable(ground, call, volume, request.getVolumeCapability());
      attached(ground, call, id, request.getPublishContextMap());
      Knowledge.effect(
          "Staging the volume " + SafeText.quote(id), () -> ground.storage().stage(request));
      if (before == null) {
        NodeStageVolumeRequest asked = request.toBuilder().clearSecrets().build();
        ground.knowledge().change(state -> state.stagings().put(call.onThisNode(id), asked));
      }
      return NodeStageVolumeResponse.getDefaultInstance();
    }
  }

  private static void same(NodeStageVolumeRequest before, NodeStageVolumeRequest request)
      throws Refusal {
    if (!before.getStagingTargetPath().equals(request.getStagingTargetPath())) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(request.getVolumeId())
              + " is staged at "
              + SafeText.quote(before.getStagingTargetPath())
              + " on this node. Use that path for every workload, or unstage it first.");
    }
    if (!before.getVolumeCapability().equals(request.getVolumeCapability())) {
      throw Refusal.exists(
          "Volume "
              + SafeText.quote(request.getVolumeId())
              + " is staged there with another volume_capability. Send the same, or unstage it"
              + " first.");
    }
  }

  /** Refuses a use that the volume was not made for, or from where it cannot be reached. */
  static void usable(
      BackendParts ground, Call call, StoredVolume volume, VolumeCapability capability)
      throws Refusal {
    Optional<String> not = Capabilities.unsupported(call.shape(), volume, capability);
    if (not.isPresent()) {
      throw Refusal.precondition("volume_capability " + not.get() + ". Send one of those.");
    }
    if (!VolumePlacement.reaches(
        VolumePlacement.ofNode(call.shape(), ground.nodes(), call.here()), volume.volume())) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(volume.volume().getVolumeId())
              + " cannot be reached from this node. Use it within its accessible_topology.");
    }
  }

  /** Refuses a volume that was not attached to this node, or another context than that gave. */
  static void attached(BackendParts ground, Call call, String id, Map<String, String> context)
      throws Refusal {
    if (!call.shape().offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
      if (!context.isEmpty()) {
        throw Refusal.invalid(
            "publish_context",
            "is set, and this plugin does not attach volumes (PUBLISH_UNPUBLISH_VOLUME). Leave it"
                + " out.");
      }
    } else if (!ground.now().attachments().containsKey(call.onThisNode(id))) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(id)
              + " is not attached to this node. Call ControllerPublishVolume for it first.");
    } else if (!context.equals(AttachService.context(id, call.here()))) {
      throw Refusal.invalid(
          "publish_context",
          "is not what ControllerPublishVolume answered for this node. Send that, unchanged.");
    }
  }

  NodeUnstageVolumeResponse unstage(Call call, NodeUnstageVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    String path = request.getStagingTargetPath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      ground.volume("volume_id", id);
      NodeStageVolumeRequest before = ground.now().stagings().get(call.onThisNode(id));
      if (before != null && !before.getStagingTargetPath().equals(path)) {
        // Nothing of this volume is at that path, so nothing is left to do there.
        return NodeUnstageVolumeResponse.getDefaultInstance();
      }
      published(call, id);
      Knowledge.effect(
          "Unstaging the volume " + SafeText.quote(id), () -> ground.storage().unstage(id, path));
      if (before != null) {
        ground.knowledge().change(state -> state.stagings().remove(call.onThisNode(id)));
      }
      return NodeUnstageVolumeResponse.getDefaultInstance();
    }
  }

  private void published(Call call, String id) throws Refusal {
    for (var publication : VolumeUses.publishedOn(ground.now(), id, call.here())) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(id)
              + " is published at "
              + SafeText.quote(publication.getTargetPath())
              + ". Unpublish every target on this node first.");
    }
  }
}
