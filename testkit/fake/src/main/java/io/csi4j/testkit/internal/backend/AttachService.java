package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.OnNode;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.List;
import java.util.Map;

/** Implements the controller's calls that attach and detach volumes. */
@SuppressWarnings("try") // A try block holds a claim on a volume without using it.
final class AttachService {

  /** Key in the publish_context; its value identifies the attachment of a volume to a node. */
  static final String ATTACHMENT = "csi4j.testkit/attachment";

  private final BackendParts ground;

  AttachService(BackendParts ground) {
    this.ground = ground;
  }

  /** Returns the publish_context of a volume on a node. Repeated calls return equal contexts. */
  static Map<String, String> context(String volume, String node) {
    return Map.of(ATTACHMENT, volume + "@" + node);
  }

  ControllerPublishVolumeResponse publish(Call call, ControllerPublishVolumeRequest request)
      throws Refusal {
    PluginShape shape = call.shape();
    String id = request.getVolumeId();
    String node = request.getNodeId();
    Capabilities.checkAtController(shape, "volume_capability", request.getVolumeCapability());
    try (Held held = ground.flights().take(Thing.volume(id))) {
      StoredVolume volume = ground.volume("volume_id", id);
      if (!ground.nodes().contains(NodeId.of(node))) {
        throw Refusal.notFound("node_id", node);
      }
      VolumeService.checkContext(shape, volume, request.getVolumeContextMap());
      ControllerPublishVolumeRequest before = ground.now().attachments().get(new OnNode(id, node));
      if (before != null) {
        same(before, request);
      } else {
        suits(shape, volume, request);
        ground.change(
            state -> {
              others(shape, state, request);
              room(shape, state, node);
              state
                  .attachments()
                  .put(new OnNode(id, node), request.toBuilder().clearSecrets().build());
            });
      }
      return ControllerPublishVolumeResponse.newBuilder()
          .putAllPublishContext(context(id, node))
          .build();
    }
  }

  private static void same(
      ControllerPublishVolumeRequest before, ControllerPublishVolumeRequest request)
      throws Refusal {
    if (!before.getVolumeCapability().equals(request.getVolumeCapability())
        || before.getReadonly() != request.getReadonly()) {
      throw Refusal.exists(
          "Volume %s is attached to node %s with another volume_capability or readonly. Detach"
              + " it first, or send the same.",
          request.getVolumeId(), request.getNodeId());
    }
  }

  private void suits(PluginShape shape, StoredVolume volume, ControllerPublishVolumeRequest request)
      throws Refusal {
    Capabilities.checkMadeFor(shape, volume, request.getVolumeCapability());
    if (!VolumePlacement.reaches(
        VolumePlacement.ofNode(shape, ground.nodes(), request.getNodeId()), volume.volume())) {
      throw Refusal.invalid(
          "node_id",
          "%s cannot reach volume %s. Use a node within its accessible_topology.",
          request.getNodeId(),
          request.getVolumeId());
    }
  }

  private static void others(PluginShape shape, State state, ControllerPublishVolumeRequest request)
      throws Refusal {
    Mode mode = Capabilities.mode(request.getVolumeCapability());
    for (String node : state.attachedTo(request.getVolumeId())) {
      ControllerPublishVolumeRequest other =
          state.attachments().get(new OnNode(request.getVolumeId(), node));
      boolean oneNode =
          !Capabilities.multiNode(mode)
              || (other != null
                  && !Capabilities.multiNode(Capabilities.mode(other.getVolumeCapability())));
      boolean twoWriters =
          mode == Mode.MULTI_NODE_SINGLE_WRITER
              && shape.offers(ControllerCapability.PUBLISH_READONLY)
              && !request.getReadonly()
              && other != null
              && !other.getReadonly();
      if (oneNode || twoWriters) {
        throw Refusal.precondition(
            "Volume %s is attached to node %s"
                + (oneNode
                    ? ", and may be attached to one node only"
                    : ", which writes to it already")
                + ". Detach it there first.",
            request.getVolumeId(),
            node);
      }
    }
  }

  private static void room(PluginShape shape, State state, String node) throws Refusal {
    long there = state.attachments().keySet().stream().filter(at -> at.node().equals(node)).count();
    if (shape.maxVolumesPerNode() > 0 && there >= shape.maxVolumesPerNode()) {
      throw Refusal.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "Node %s has %s"
              + (there == 1 ? " volume" : " volumes")
              + " attached, and accepts no more. Detach one, or use another node.",
          node,
          there);
    }
  }

  ControllerUnpublishVolumeResponse unpublish(Call call, ControllerUnpublishVolumeRequest request)
      throws Refusal {
    String id = request.getVolumeId();
    String node = request.getNodeId();
    try (Held held = ground.flights().take(Thing.volume(id))) {
      State now = ground.now();
      // An unknown volume is not attached to any node, because a volume must be detached before it
      // is deleted.
      if (now.volumes().containsKey(id)
          && !node.isEmpty()
          && !ground.nodes().contains(NodeId.of(node))) {
        throw Refusal.notFound("node_id", node);
      }
      List<String> nodes = now.attachedTo(id);
      List<String> from = node.isEmpty() ? nodes : nodes.contains(node) ? List.of(node) : List.of();
      if (!call.shape().has(Quirk.DETACHES_WHAT_IS_IN_USE)) {
        for (String each : from) {
          now.refuseOnNode(id, each);
        }
      }
      if (!from.isEmpty()) {
        ground.change(
            state -> from.forEach(each -> state.attachments().remove(new OnNode(id, each))));
      }
      return ControllerUnpublishVolumeResponse.getDefaultInstance();
    }
  }
}
