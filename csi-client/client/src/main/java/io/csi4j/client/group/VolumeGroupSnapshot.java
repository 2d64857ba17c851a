package io.csi4j.client.group;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.model.GroupSnapshotId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Snapshots of several volumes that were cut at one moment.
 *
 * @since 1.0
 */
public interface VolumeGroupSnapshot {

  /** Its id, for all later calls. */
  GroupSnapshotId id();

  /** The members; keep their ids, later calls need them. */
  List<Snapshot> snapshots();

  /** When it was cut; nothing if the plugin gave no possible time. */
  Optional<Instant> creationTime();

  /** Whether all members are ready. */
  boolean readyToUse();
}
