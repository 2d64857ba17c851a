package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A snapshot as reported by its plugin.
 *
 * @since 1.0
 */
public interface Snapshot {

  /** The id, used in all later calls. */
  SnapshotId id();

  /** The volume that the snapshot was taken of. */
  VolumeId sourceVolumeId();

  /**
   * The minimum size of a volume created from the snapshot; empty if the plugin does not report it.
   */
  OptionalLong sizeBytes();

  /** The time at which the snapshot was taken; empty if the plugin reported no valid time. */
  Optional<Instant> creationTime();

  /** Whether volumes can be created from the snapshot. */
  boolean readyToUse();

  /**
   * The group that the snapshot belongs to, if any. A snapshot in a group cannot be deleted
   * separately.
   */
  Optional<GroupSnapshotId> groupSnapshotId();

  /**
   * The places from which the snapshot is usable, each of them sufficient; empty if the snapshot is
   * usable from everywhere. Meaningful only for plugins with the capability
   * SNAPSHOT_ACCESSIBILITY_CONSTRAINTS.
   */
  @Experimental
  List<Topology> accessibleTopology();
}
