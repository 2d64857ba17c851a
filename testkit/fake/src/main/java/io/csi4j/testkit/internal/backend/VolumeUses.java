package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.backend.State.OnNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where a volume is in use. */
final class VolumeUses {

  private VolumeUses() {}

  /** The nodes that it is attached to. */
  static List<String> attachedTo(State state, String volume) {
    return nodes(state.attachments(), volume);
  }

  /** The nodes that it is staged on. */
  static List<String> stagedOn(State state, String volume) {
    return nodes(state.stagings(), volume);
  }

  private static List<String> nodes(Map<OnNode, ?> where, String volume) {
    return where.keySet().stream()
        .filter(key -> key.what().equals(volume))
        .map(OnNode::node)
        .toList();
  }

  /** How it is published, on all nodes. */
  static Map<OnNode, NodePublishVolumeRequest> published(State state, String volume) {
    Map<OnNode, NodePublishVolumeRequest> found = new java.util.TreeMap<>();
    state
        .publications()
        .forEach(
            (where, asked) -> {
              if (asked.getVolumeId().equals(volume)) {
                found.put(where, asked);
              }
            });
    return found;
  }

  /** How it is published on one node. */
  static List<NodePublishVolumeRequest> publishedOn(State state, String volume, String node) {
    List<NodePublishVolumeRequest> found = new ArrayList<>();
    published(state, volume)
        .forEach(
            (where, asked) -> {
              if (where.node().equals(node)) {
                found.add(asked);
              }
            });
    return found;
  }

  /** Refuses what must not be done to a volume that is on a node. */
  static void refuseOnNode(State state, String volume, String node) throws Refusal {
    for (NodePublishVolumeRequest publication : publishedOn(state, volume, node)) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(volume)
              + " is published on node "
              + SafeText.quote(node)
              + " at "
              + SafeText.quote(publication.getTargetPath())
              + ". Unpublish it there first.");
    }
    if (state.stagings().containsKey(new OnNode(volume, node))) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(volume)
              + " is staged on node "
              + SafeText.quote(node)
              + ". Unstage it there first.");
    }
  }

  /** Refuses what must not be done to a volume that is in use anywhere. */
  static void refuseAnywhere(State state, String volume) throws Refusal {
    for (OnNode where : published(state, volume).keySet()) {
      refuseOnNode(state, volume, where.node());
    }
    for (String node : stagedOn(state, volume)) {
      refuseOnNode(state, volume, node);
    }
    List<String> attached = attachedTo(state, volume);
    if (!attached.isEmpty()) {
      throw Refusal.precondition(
          "Volume "
              + SafeText.quote(volume)
              + " is attached to "
              + SafeText.escape(attached.toString())
              + ". Detach it with ControllerUnpublishVolume first.");
    }
  }
}
