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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The knowledge of a plugin, as the messages that made it so, without their secrets: what a storage
 * keeps over a restart.
 *
 * @param volumes by id
 * @param snapshots by id
 * @param groups by id
 * @param attachments by volume and node
 * @param stagings by volume and node
 * @param publications by node and target path
 */
public record State(
    Map<String, StoredVolume> volumes,
    Map<String, StoredSnapshot> snapshots,
    Map<String, StoredGroup> groups,
    Map<OnNode, ControllerPublishVolumeRequest> attachments,
    Map<OnNode, NodeStageVolumeRequest> stagings,
    Map<OnNode, NodePublishVolumeRequest> publications) {

  /** Nothing. */
  public static State empty() {
    return new State(
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>());
  }

  /** Returns a copy, to be changed apart from this one. */
  public State copy() {
    return new State(
        new TreeMap<>(volumes),
        new TreeMap<>(snapshots),
        new TreeMap<>(groups),
        new TreeMap<>(attachments),
        new TreeMap<>(stagings),
        new TreeMap<>(publications));
  }

  /** The nodes that it is attached to. */
  List<String> attachedTo(String volume) {
    return nodes(attachments, volume);
  }

  /** The nodes that it is staged on. */
  List<String> stagedOn(String volume) {
    return nodes(stagings, volume);
  }

  private static List<String> nodes(Map<OnNode, ?> where, String volume) {
    return where.keySet().stream()
        .filter(key -> key.what().equals(volume))
        .map(OnNode::node)
        .toList();
  }

  /** How it is published, on all nodes. */
  Map<OnNode, NodePublishVolumeRequest> published(String volume) {
    Map<OnNode, NodePublishVolumeRequest> found = new TreeMap<>();
    publications.forEach(
        (where, asked) -> {
          if (asked.getVolumeId().equals(volume)) {
            found.put(where, asked);
          }
        });
    return found;
  }

  /** How it is published on one node. */
  List<NodePublishVolumeRequest> publishedOn(String volume, String node) {
    List<NodePublishVolumeRequest> found = new ArrayList<>();
    published(volume)
        .forEach(
            (where, asked) -> {
              if (where.node().equals(node)) {
                found.add(asked);
              }
            });
    return found;
  }

  /** Refuses what must not be done to a volume that is on a node. */
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

  /** Refuses what must not be done to a volume that is in use anywhere. */
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

  /** Whether no workload may write through a target. */
  public static boolean readOnly(NodePublishVolumeRequest asked) {
    return asked.getReadonly() || Capabilities.readOnly(asked.getVolumeCapability());
  }

  /**
   * Something on a node.
   *
   * @param what a volume id, or a target path
   * @param node which node
   */
  public record OnNode(String what, String node) implements Comparable<OnNode> {
    @Override
    public int compareTo(OnNode other) {
      int first = what.compareTo(other.what);
      return first != 0 ? first : node.compareTo(other.node);
    }
  }

  /**
   * A volume.
   *
   * @param volume as it is told
   * @param asked how it came to be, without secrets; with mutable parameters as they are now
   */
  public record StoredVolume(Volume volume, CreateVolumeRequest asked) {}

  /**
   * A snapshot.
   *
   * @param snapshot as it is told
   * @param asked how it came to be, without secrets; empty for the member of a group
   */
  public record StoredSnapshot(Snapshot snapshot, CreateSnapshotRequest asked) {}

  /**
   * A group snapshot.
   *
   * @param group as it is told
   * @param asked how it came to be, without secrets
   */
  public record StoredGroup(VolumeGroupSnapshot group, CreateVolumeGroupSnapshotRequest asked) {}
}
