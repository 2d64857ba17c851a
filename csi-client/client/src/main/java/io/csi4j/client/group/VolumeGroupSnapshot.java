package io.csi4j.client.group;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.GroupSnapshotId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Snapshots of several volumes that were taken at one moment.
 *
 * @since 1.0
 */
public interface VolumeGroupSnapshot {

  /** The id, used in all later calls. */
  GroupSnapshotId id();

  /** The snapshots of the group; later calls need their ids. */
  List<Snapshot> snapshots();

  /** The time at which the snapshots were taken; empty if the plugin reported no valid time. */
  Optional<Instant> creationTime();

  /** Whether all snapshots of the group are ready to use. */
  boolean readyToUse();
}
