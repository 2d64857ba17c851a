package io.csi4j.volume.controller;

import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import java.util.Comparator;

/**
 * A lane: a resource for which calls wait, one at a time. A call that needs several lanes takes
 * them in their order, which prevents deadlocks.
 *
 * @param kind the kind of the lane
 * @param plugin the plugin
 * @param id the id of the resource
 */
record VolumeLane(Kind kind, PluginId plugin, String id) implements Comparable<VolumeLane> {

  private static final Comparator<VolumeLane> ORDER =
      Comparator.comparing(VolumeLane::kind)
          .thenComparing(VolumeLane::plugin)
          .thenComparing(VolumeLane::id);

  /** The kinds of lanes, in the order in which they are taken. */
  enum Kind {
    NAME,
    VOLUME,
    SNAPSHOT,
    GROUP,
    NODE,
    PLUGIN
  }

  /** Returns the lane of the name of a new volume or snapshot, whose id is not known yet. */
  public static VolumeLane name(PluginId plugin, String name) {
    return new VolumeLane(Kind.NAME, plugin, name);
  }

  /** Returns the lane of a volume. */
  public static VolumeLane of(PluginId plugin, VolumeId volume) {
    return new VolumeLane(Kind.VOLUME, plugin, volume.value());
  }

  /** Returns the lane of a snapshot. */
  public static VolumeLane of(PluginId plugin, SnapshotId snapshot) {
    return new VolumeLane(Kind.SNAPSHOT, plugin, snapshot.value());
  }

  /** Returns the lane of a group of snapshots. */
  public static VolumeLane of(PluginId plugin, GroupSnapshotId group) {
    return new VolumeLane(Kind.GROUP, plugin, group.value());
  }

  /** Returns the lane of a node. */
  public static VolumeLane of(PluginId plugin, NodeId node) {
    return new VolumeLane(Kind.NODE, plugin, node.value());
  }

  /** Returns the lane of all calls of one kind. */
  public static VolumeLane all(PluginId plugin, String which) {
    return new VolumeLane(Kind.PLUGIN, plugin, which);
  }

  @Override
  public int compareTo(VolumeLane other) {
    return ORDER.compare(this, other);
  }
}
