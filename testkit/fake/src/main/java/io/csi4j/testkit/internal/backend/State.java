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
import java.util.Map;
import java.util.TreeMap;

/**
 * What a plugin knows, as the messages that made it so, without their secrets: what a storage keeps
 * over a restart.
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
