package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.backend.State.OnNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state of a plugin: its objects, and the requests that created them, without secrets. A
 * storage preserves the state across a restart.
 */
public record State(
    Map<String, StoredVolume> volumes,
    Map<String, StoredSnapshot> snapshots,
    Map<String, StoredGroup> groups,
    Map<OnNode, ControllerPublishVolumeRequest> attachments,
    Map<OnNode, NodeStageVolumeRequest> stagings,
    Map<OnNode, NodePublishVolumeRequest> publications) {

  public static State empty() {
    return new State(
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>());
  }

  public State copy() {
    return new State(
        new TreeMap<>(volumes),
        new TreeMap<>(snapshots),
        new TreeMap<>(groups),
        new TreeMap<>(attachments),
        new TreeMap<>(stagings),
        new TreeMap<>(publications));
  }

  List<String> attachedTo(String volume) {
    return nodes(attachments, volume);
  }

  List<String> stagedOn(String volume) {
    return nodes(stagings, volume);
  }

  private static List<String> nodes(Map<OnNode, ?> where, String volume) {
    return where.keySet().stream()
        .filter(key -> key.what().equals(volume))
        .map(OnNode::node)
        .toList();
  }

  Map<OnNode, NodePublishVolumeRequest> published(String volume) {
    Map<OnNode, NodePublishVolumeRequest> found = new TreeMap<>(publications);
    found.values().removeIf(asked -> !asked.getVolumeId().equals(volume));
    return found;
  }

  List<NodePublishVolumeRequest> publishedOn(String volume, String node) {
    Map<OnNode, NodePublishVolumeRequest> found = published(volume);
    found.keySet().removeIf(where -> !where.node().equals(node));
    return List.copyOf(found.values());
  }

  /** Refuses an operation if the volume is in use on this node. */
  void refuseOnNode(String volume, String node) throws Refusal {
    for (NodePublishVolumeRequest publication : publishedOn(volume, node)) {
      throw Refusal.precondition(
          "Volume %s is published on node %s at %s. Unpublish it there first.",
          volume, node, publication.getTargetPath());
    }
    if (stagings.containsKey(new OnNode(volume, node))) {
      throw Refusal.precondition(
          "Volume %s is staged on node %s. Unstage it there first.", volume, node);
    }
  }

  /** Refuses an operation if the volume is in use on any node. */
  void refuseAnywhere(String volume) throws Refusal {
    for (OnNode where : published(volume).keySet()) {
      refuseOnNode(volume, where.node());
    }
    for (String node : stagedOn(volume)) {
      refuseOnNode(volume, node);
    }
    List<String> attached = attachedTo(volume);
    if (!attached.isEmpty()) {
      throw Refusal.precondition(
          "Volume %s is attached to %s. Detach it with ControllerUnpublishVolume first.",
          volume, attached.stream().map(SafeText::quote).toList());
    }
  }

  /** Returns whether a publication forbids its workloads to write. */
  public static boolean readOnly(NodePublishVolumeRequest asked) {
    return asked.getReadonly() || Capabilities.readOnly(asked.getVolumeCapability());
  }

  /** A key on a node: {@code what} is a volume id, or a target path. */
  public record OnNode(String what, String node) implements Comparable<OnNode> {
    @Override
    public int compareTo(OnNode other) {
      int first = what.compareTo(other.what);
      return first != 0 ? first : node.compareTo(other.node);
    }
  }

  /**
   * A volume, and the request that created it. The request contains the current mutable parameters.
   */
  public record StoredVolume(Volume volume, CreateVolumeRequest asked) {}

  /** A snapshot, and the request that created it. For a member of a group, the request is empty. */
  public record StoredSnapshot(Snapshot snapshot, CreateSnapshotRequest asked) {}

  /** A group snapshot, and the request that created it. */
  public record StoredGroup(VolumeGroupSnapshot group, CreateVolumeGroupSnapshotRequest asked) {}
}
