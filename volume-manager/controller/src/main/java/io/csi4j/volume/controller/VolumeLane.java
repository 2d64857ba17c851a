package io.csi4j.volume.controller;

import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.PluginId;
import java.util.Comparator;

/**
 * A lane: something of which there is one, and for which calls wait. A call that needs several
 * takes them in their order, so that no two wait for each other for ever.
 *
 * @param kind its kind
 * @param plugin its plugin
 * @param id its id
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

  /** Returns the lane of a name under which something is made: its id is not known yet. */
  public static VolumeLane name(PluginId plugin, String name) {
    return new VolumeLane(Kind.NAME, plugin, name);
  }

  /** A volume. */
  public static VolumeLane of(PluginId plugin, VolumeId volume) {
    return new VolumeLane(Kind.VOLUME, plugin, volume.value());
  }

  /** A snapshot. */
  public static VolumeLane of(PluginId plugin, SnapshotId snapshot) {
    return new VolumeLane(Kind.SNAPSHOT, plugin, snapshot.value());
  }

  /** A group of snapshots. */
  public static VolumeLane of(PluginId plugin, GroupSnapshotId group) {
    return new VolumeLane(Kind.GROUP, plugin, group.value());
  }

  /** A node. */
  public static VolumeLane of(PluginId plugin, NodeId node) {
    return new VolumeLane(Kind.NODE, plugin, node.value());
  }

  /** All calls of one kind. */
  public static VolumeLane all(PluginId plugin, String which) {
    return new VolumeLane(Kind.PLUGIN, plugin, which);
  }

  @Override
  public int compareTo(VolumeLane other) {
    return ORDER.compare(this, other);
  }
}
