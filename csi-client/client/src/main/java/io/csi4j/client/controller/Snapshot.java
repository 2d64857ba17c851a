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
 * A snapshot as its plugin knows it.
 *
 * @since 1.0
 */
public interface Snapshot {

  /** Its id, for all later calls. */
  SnapshotId id();

  /** The volume it was cut from. */
  VolumeId sourceVolumeId();

  /** The least size of a volume made from it; nothing if the plugin does not know. */
  OptionalLong sizeBytes();

  /** When it was cut; nothing if the plugin gave no possible time. */
  Optional<Instant> creationTime();

  /** Whether a volume can be made from it already. */
  boolean readyToUse();

  /** The group it was cut with; such a snapshot is never deleted alone. */
  Optional<GroupSnapshotId> groupSnapshotId();

  /**
   * From where it can be used: any one of these suffices. Empty for everywhere. Says something only
   * with SNAPSHOT_ACCESSIBILITY_CONSTRAINTS.
   */
  @Experimental
  List<Topology> accessibleTopology();
}
