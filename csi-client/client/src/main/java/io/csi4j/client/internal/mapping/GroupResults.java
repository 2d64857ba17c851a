package io.csi4j.client.internal.mapping;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.GroupSnapshotId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The non-exported records that implement the results of {@code io.csi4j.client.group}. */
final class GroupResults {

  private GroupResults() {}

  /** See {@link VolumeGroupSnapshot}. */
  public record VolumeGroupSnapshotValue(
      GroupSnapshotId id,
      List<Snapshot> snapshots,
      Optional<Instant> creationTime,
      boolean readyToUse)
      implements VolumeGroupSnapshot {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
