package io.csi4j.volume.internal.controller;

import io.csi4j.client.GroupSnapshotId;
import io.csi4j.client.NodeId;
import io.csi4j.client.SnapshotId;
import io.csi4j.client.VolumeId;
import io.csi4j.volume.PluginId;
import java.util.Comparator;

/**
 * Something of which there is one, and for which calls wait. Whoever needs several takes them in
 * their order, so that no two wait for each other for ever.
 *
 * @param kind what it is
 * @param plugin whose it is
 * @param id which it is
 */
public record Lane(Kind kind, PluginId plugin, String id) implements Comparable<Lane> {

  private static final Comparator<Lane> ORDER =
      Comparator.comparing(Lane::kind).thenComparing(Lane::plugin).thenComparing(Lane::id);

  /** What can be waited for, in the order in which it is taken. */
  enum Kind {
    NAME,
    VOLUME,
    SNAPSHOT,
    GROUP,
    NODE,
    PLUGIN
  }

  /** What is to be made under a name: its id is not known yet. */
  public static Lane name(PluginId plugin, String name) {
    return new Lane(Kind.NAME, plugin, name);
  }

  /** A volume. */
  public static Lane of(PluginId plugin, VolumeId volume) {
    return new Lane(Kind.VOLUME, plugin, volume.value());
  }

  /** A snapshot. */
  public static Lane of(PluginId plugin, SnapshotId snapshot) {
    return new Lane(Kind.SNAPSHOT, plugin, snapshot.value());
  }

  /** A group of snapshots. */
  public static Lane of(PluginId plugin, GroupSnapshotId group) {
    return new Lane(Kind.GROUP, plugin, group.value());
  }

  /** A node. */
  public static Lane of(PluginId plugin, NodeId node) {
    return new Lane(Kind.NODE, plugin, node.value());
  }

  /** All calls of one kind. */
  public static Lane all(PluginId plugin, String which) {
    return new Lane(Kind.PLUGIN, plugin, which);
  }

  @Override
  public int compareTo(Lane other) {
    return ORDER.compare(this, other);
  }
}
