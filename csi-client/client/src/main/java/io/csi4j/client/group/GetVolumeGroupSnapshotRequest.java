package io.csi4j.client.group;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import java.util.List;

/**
 * Asks for the current state of one group.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface GetVolumeGroupSnapshotRequest {

  /** The group. */
  GroupSnapshotId groupSnapshotId();

  /** The ids of all snapshots in the group. */
  List<SnapshotId> snapshotIds();

  /** The secrets with which the group was created. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(GroupSnapshotId groupSnapshotId, List<SnapshotId> snapshotIds) {
    return new Builder(groupSnapshotId, snapshotIds);
  }

  /** Collects the parts of a {@link GetVolumeGroupSnapshotRequest}. */
  final class Builder {
    private final GroupSnapshotId groupSnapshotId;
    private final List<SnapshotId> snapshotIds;
    private Secrets secrets = Secrets.empty();

    private Builder(GroupSnapshotId groupSnapshotId, List<SnapshotId> snapshotIds) {
      this.groupSnapshotId = groupSnapshotId;
      this.snapshotIds = List.copyOf(snapshotIds);
    }

    /** The secrets with which the group was created. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public GetVolumeGroupSnapshotRequest build() {
      return new GetVolumeGroupSnapshotValue(groupSnapshotId, snapshotIds, secrets);
    }

    private record GetVolumeGroupSnapshotValue(
        GroupSnapshotId groupSnapshotId, List<SnapshotId> snapshotIds, Secrets secrets)
        implements GetVolumeGroupSnapshotRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
