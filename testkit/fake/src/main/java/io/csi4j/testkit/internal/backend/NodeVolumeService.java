package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Implements the node's calls that stage, publish, measure and expand volumes. */
@SuppressWarnings("try") // A try block holds a claim on a volume without using it.
final class NodeVolumeService {

  private final BackendParts ground;
  private final VolumeService volumes;

  NodeVolumeService(BackendParts ground, VolumeService volumes) {
    this.ground = ground;
    this.volumes = volumes;
  }

  NodeStageVolumeResponse stage(Call call, NodeStageVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    Capabilities.checkAtNode(call.shape(), "volume_capability", request.getVolumeCapability());
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      VolumeService.checkContext(call.shape(), volume, request.getVolumeContextMap());
      NodeStageVolumeRequest before = ground.now().stagings().get(call.onThisNode(id));
      if (before != null) {
        same(before, request);
      }
      usable(call, volume, request.getVolumeCapability());
      attached(call, id, request.getPublishContextMap());
      ground.effect(
          "Staging the volume " + SafeText.quote(id), () -> ground.storage().stage(request));
      if (before == null) {
        NodeStageVolumeRequest asked = request.toBuilder().clearSecrets().build();
        ground.change(state -> state.stagings().put(call.onThisNode(id), asked));
      }
      return NodeStageVolumeResponse.getDefaultInstance();
    }
  }

  private static void same(NodeStageVolumeRequest before, NodeStageVolumeRequest request)
      throws Refusal {
    if (!before.getStagingTargetPath().equals(request.getStagingTargetPath())) {
      throw Refusal.precondition(
          "Volume %s is staged at %s on this node. Use that path for every workload, or"
              + " unstage it first.",
          request.getVolumeId(), before.getStagingTargetPath());
    }
    if (!before.getVolumeCapability().equals(request.getVolumeCapability())) {
      throw Refusal.exists(
          "Volume %s is staged there with another volume_capability. Send the same, or unstage"
              + " it first.",
          request.getVolumeId());
    }
  }

  /**
   * Refuses a capability that the volume does not support, and a node that cannot access the
   * volume.
   */
  private void usable(Call call, StoredVolume volume, VolumeCapability capability) throws Refusal {
    Optional<String> not = Capabilities.unsupported(call.shape(), volume, capability);
    if (not.isPresent()) {
      throw Refusal.precondition("volume_capability " + not.get() + ". Send one of those.");
    }
    if (!VolumePlacement.reaches(
        VolumePlacement.ofNode(call.shape(), ground.nodes(), call.here()), volume.volume())) {
      throw Refusal.precondition(
          "Volume %s cannot be reached from this node. Use it within its accessible_topology.",
          volume.volume().getVolumeId());
    }
  }

  /**
   * Refuses a volume that is not attached to this node, and a publish context that differs from the
   * one that the plugin returned.
   */
  private void attached(Call call, String id, Map<String, String> context) throws Refusal {
    if (!call.shape().offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
      if (!context.isEmpty()) {
        throw Refusal.invalid(
            "publish_context",
            "is set, and this plugin does not attach volumes (PUBLISH_UNPUBLISH_VOLUME). Leave it"
                + " out.");
      }
    } else if (!ground.now().attachments().containsKey(call.onThisNode(id))) {
      throw Refusal.precondition(
          "Volume %s is not attached to this node. Call ControllerPublishVolume for it first.", id);
    } else if (!context.equals(AttachService.context(id, call.here()))) {
      throw Refusal.invalid(
          "publish_context",
          "is not what ControllerPublishVolume returned for this node. Send that, unchanged.");
    }
  }

  NodeUnstageVolumeResponse unstage(Call call, NodeUnstageVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    String path = request.getStagingTargetPath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      ground.volume("volume_id", id);
      NodeStageVolumeRequest before = ground.now().stagings().get(call.onThisNode(id));
      if (before != null && !before.getStagingTargetPath().equals(path)) {
        // The volume is not staged at this path, so the call succeeds without work.
        return NodeUnstageVolumeResponse.getDefaultInstance();
      }
      published(call, id);
      ground.effect(
          "Unstaging the volume " + SafeText.quote(id), () -> ground.storage().unstage(id, path));
      if (before != null) {
        ground.change(state -> state.stagings().remove(call.onThisNode(id)));
      }
      return NodeUnstageVolumeResponse.getDefaultInstance();
    }
  }

  private void published(Call call, String id) throws Refusal {
    for (var publication : ground.now().publishedOn(id, call.here())) {
      throw Refusal.precondition(
          "Volume %s is published at %s. Unpublish every target on this node first.",
          id, publication.getTargetPath());
    }
  }

  NodePublishVolumeResponse publish(Call call, NodePublishVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    String target = request.getTargetPath();
    Capabilities.checkAtNode(call.shape(), "volume_capability", request.getVolumeCapability());
    if (call.shape().isInline(request.getVolumeContextMap())) {
      return publishInline(call, request);
    }
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      VolumeService.checkContext(
          call.shape(),
          volume,
          call.shape()
              .withoutFacts(volume.volume().getVolumeContextMap(), request.getVolumeContextMap()));
      NodePublishVolumeRequest before = ground.now().publications().get(call.onThisNode(target));
      if (before != null) {
        same(before, request);
      }
      usable(call, volume, request.getVolumeCapability());
      attached(call, id, request.getPublishContextMap());
      staged(call, request);
      if (before == null) {
        others(call, request);
      }
      published(call, request, before == null);
      return NodePublishVolumeResponse.getDefaultInstance();
    }
  }

  private void published(Call call, NodePublishVolumeRequest request, boolean isNew)
      throws Refusal {
    if (!call.shape().has(Quirk.TARGET_NEVER_MADE)) {
      ground.effect(
          "Publishing the volume " + SafeText.quote(request.getVolumeId()),
          () -> ground.storage().publish(request));
    }
    if (isNew) {
      NodePublishVolumeRequest asked = request.toBuilder().clearSecrets().build();
      ground.change(
          state -> state.publications().put(call.onThisNode(asked.getTargetPath()), asked));
    }
  }

  /** Creates and publishes an inline volume. Unpublishing deletes it. */
  private NodePublishVolumeResponse publishInline(Call call, NodePublishVolumeRequest request)
      throws Refusal {
    String id = request.getVolumeId();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume known = ground.now().volumes().get(id);
      if (known != null && !isInline(known)) {
        throw Refusal.invalid(
            "volume_id", "is the id of a created volume. Use another id for the inline volume.");
      }
      if (!request.getPublishContextMap().isEmpty() || !request.getStagingTargetPath().isEmpty()) {
        throw Refusal.invalid(
            "volume_context",
            "asks for an inline volume, which is neither attached nor staged. Leave out"
                + " publish_context and staging_target_path.");
      }
      NodePublishVolumeRequest before =
          ground.now().publications().get(call.onThisNode(request.getTargetPath()));
      if (before != null) {
        same(before, request);
      } else {
        others(call, request);
      }
      if (known == null) {
        make(call, request);
      }
      try {
        published(call, request, before == null);
      } catch (Refusal failed) {
        if (known == null) {
          volumes.remove(id);
        }
        throw failed;
      }
      return NodePublishVolumeResponse.getDefaultInstance();
    }
  }

  private void make(Call call, NodePublishVolumeRequest request) throws Refusal {
    Volume volume =
        Volume.newBuilder()
            .setVolumeId(request.getVolumeId())
            .setCapacityBytes(VolumeSizes.DEFAULT)
            .build();
    CreateVolumeRequest asked =
        CreateVolumeRequest.newBuilder()
            .setName(inlineName(request.getVolumeId()))
            .addVolumeCapabilities(request.getVolumeCapability())
            .build();
    volumes.keep(call.shape(), 0, "Making", volume, asked);
  }

  private static boolean isInline(StoredVolume volume) {
    return volume.asked().getName().equals(inlineName(volume.volume().getVolumeId()));
  }

  private static String inlineName(String id) {
    return "inline volume " + id;
  }

  private static void same(NodePublishVolumeRequest before, NodePublishVolumeRequest request)
      throws Refusal {
    String target = request.getTargetPath();
    if (!before.getVolumeId().equals(request.getVolumeId())) {
      throw Refusal.exists(
          "Volume %s is published at %s. Use a different target_path for each volume.",
          before.getVolumeId(), target);
    }
    if (!before.getVolumeCapability().equals(request.getVolumeCapability())
        || before.getReadonly() != request.getReadonly()) {
      throw Refusal.exists(
          "Volume %s is published at %s with another volume_capability or readonly. Send the"
              + " same, or unpublish it first.",
          request.getVolumeId(), target);
    }
  }

  private void staged(Call call, NodePublishVolumeRequest request) throws Refusal {
    if (!call.shape().offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      return;
    }
    String path = request.getStagingTargetPath();
    NodeStageVolumeRequest staging =
        ground.now().stagings().get(call.onThisNode(request.getVolumeId()));
    if (path.isEmpty()) {
      throw Refusal.precondition(
          "staging_target_path is not set, and this plugin stages volumes (STAGE_UNSTAGE_VOLUME)."
              + " Stage the volume, and send the path.");
    }
    if (staging == null) {
      throw Refusal.precondition(
          "Volume %s is not staged on this node. Call NodeStageVolume first.",
          request.getVolumeId());
    }
    if (!staging.getStagingTargetPath().equals(path)) {
      throw Refusal.precondition(
          "Volume %s is staged at %s, not at %s. Send the path where it is staged.",
          request.getVolumeId(), staging.getStagingTargetPath(), path);
    }
  }

  private void others(Call call, NodePublishVolumeRequest request) throws Refusal {
    Mode mode = Capabilities.mode(request.getVolumeCapability());
    boolean several = Capabilities.multiNode(mode) || mode == Mode.SINGLE_NODE_MULTI_WRITER;
    for (NodePublishVolumeRequest other :
        ground.now().publishedOn(request.getVolumeId(), call.here())) {
      boolean sameUse = other.getVolumeCapability().equals(request.getVolumeCapability());
      if (!several || !sameUse) {
        throw Refusal.precondition(
            "Volume %s is published on this node at %s"
                + (sameUse
                    ? ", and " + mode + " allows one target"
                    : " with another volume_capability")
                + ". Unpublish it there first.",
            request.getVolumeId(),
            other.getTargetPath());
      }
    }
  }

  NodeUnpublishVolumeResponse unpublish(Call call, NodeUnpublishVolumeRequest request)
      throws Refusal {
    String id = request.getVolumeId();
    String target = request.getTargetPath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      Optional<StoredVolume> volume = toUnpublish(call, id);
      NodePublishVolumeRequest before = ground.now().publications().get(call.onThisNode(target));
      if (before != null && !before.getVolumeId().equals(id)) {
        throw Refusal.invalid(
            "target_path",
            "%s is the path of another volume, %s. Send the path where this volume is published.",
            target,
            before.getVolumeId());
      }
      ground.effect(
          "Unpublishing the volume " + SafeText.quote(id),
          () -> ground.storage().unpublish(id, target, call.shape().has(Quirk.TARGET_LEFT_BEHIND)));
      if (before != null) {
        ground.change(state -> state.publications().remove(call.onThisNode(target)));
      }
      if (volume.filter(NodeVolumeService::isInline).isPresent()
          && ground.now().published(id).isEmpty()) {
        volumes.remove(id);
      }
      return NodeUnpublishVolumeResponse.getDefaultInstance();
    }
  }

  /**
   * Returns the volume to unpublish. An unknown volume is refused, unless it can be a deleted
   * inline volume. The plugin deletes an inline volume with its last target, and a repeated call
   * must succeed.
   */
  private Optional<StoredVolume> toUnpublish(Call call, String id) throws Refusal {
    StoredVolume volume = ground.now().volumes().get(id);
    if (volume == null && call.shape().has(Quirk.INLINE_VOLUMES_TAKEN)) {
      return Optional.empty();
    }
    return Optional.of(ground.volume("volume_id", id));
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
        ground.effect(
            "Reading the statistics of volume " + SafeText.quote(id),
            () -> usage.addAll(ground.storage().usage(volume.volume(), path)));
        usage.stream()
            .filter(each -> !use.hasBlock() || each.getUnit() == VolumeUsage.Unit.BYTES)
            .forEach(answer::addUsage);
      }
      if (call.shape().offers(NodeCapability.VOLUME_CONDITION)) {
        answer.setVolumeCondition(ground.health().condition(call.onThisNode(id)));
      }
      return answer.build();
    }
  }

  /**
   * Returns the capability with which the volume is published or staged at the path, or refuses
   * with NOT_FOUND.
   */
  private VolumeCapability at(Call call, String id, String path) throws Refusal {
    NodePublishVolumeRequest published = ground.now().publications().get(call.onThisNode(path));
    if (published != null && published.getVolumeId().equals(id)) {
      return published.getVolumeCapability();
    }
    NodeStageVolumeRequest staged = ground.now().stagings().get(call.onThisNode(id));
    if (staged != null && staged.getStagingTargetPath().equals(path)) {
      return staged.getVolumeCapability();
    }
    throw Refusal.of(
        StatusCode.NOT_FOUND,
        "Volume %s is not at volume_path %s on this node. Send a path where it is staged or"
            + " published now.",
        id,
        path);
  }

  NodeExpandVolumeResponse expand(Call call, NodeExpandVolumeRequest request) throws Refusal {
    PluginShape shape = call.shape();
    String id = request.getVolumeId();
    String path = request.getVolumePath();
    try (Held held = ground.flights().take(Thing.volumeOn(id, call.here()))) {
      StoredVolume volume = ground.volume("volume_id", id);
      if (request.hasVolumeCapability()) {
        Capabilities.checkAtNode(shape, "volume_capability", request.getVolumeCapability());
        Capabilities.checkMadeFor(shape, volume, request.getVolumeCapability());
      }
      at(call, id, path);
      if (!shape.offers(PluginCapability.VOLUME_EXPANSION_ONLINE)
          && !shape.offers(PluginCapability.VOLUME_EXPANSION_OFFLINE)) {
        throw Refusal.precondition(
            "The filesystem of volume %s cannot grow while it is staged or published. This"
                + " plugin has no volume expansion.",
            id);
      }
      long had = volume.volume().getCapacityBytes();
      long bytes = VolumeSizes.ofGrown(shape, request.getCapacityRange(), had);
      if (bytes > had) {
        if (shape.offers(ControllerCapability.EXPAND_VOLUME)) {
          throw VolumeSizes.outOfRange(
              "required_bytes "
                  + bytes
                  + " is more than the size of the volume, which is "
                  + had
                  + "; call ControllerExpandVolume first");
        }
        volumes.grow(shape, id, had, bytes);
      }
      ground.effect(
          "Expanding the volume " + SafeText.quote(id) + " on the node",
          () -> ground.storage().expandOnNode(id, path, bytes));
      return NodeExpandVolumeResponse.newBuilder().setCapacityBytes(bytes).build();
    }
  }
}
