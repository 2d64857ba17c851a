package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the list of snapshots.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ListSnapshotsRequest {

  /** Maximum number of entries of a page; zero for no limit. */
  int maxEntries();

  /** The token that the previous page returned, if set. The new page starts at this token. */
  Optional<String> startingToken();

  /** The volume whose snapshots are listed; empty for all volumes. */
  Optional<VolumeId> sourceVolumeId();

  /** The only snapshot that is listed; empty for all snapshots. */
  Optional<SnapshotId> snapshotId();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link ListSnapshotsRequest}. */
  final class Builder {
    private int maxEntries;
    private @Nullable String startingToken;
    private @Nullable VolumeId sourceVolumeId;
    private @Nullable SnapshotId snapshotId;
    private Secrets secrets = Secrets.empty();

    private Builder() {}

    /** Maximum number of entries of a page; zero for no limit. */
    public Builder maxEntries(int value) {
      maxEntries = value;
      return this;
    }

    /** The token that the previous page returned. The new page starts at this token. */
    public Builder startingToken(String value) {
      startingToken = value;
      return this;
    }

    /** Lists only the snapshots of this volume. */
    public Builder sourceVolumeId(VolumeId value) {
      sourceVolumeId = value;
      return this;
    }

    /** Lists only this snapshot. */
    public Builder snapshotId(SnapshotId value) {
      snapshotId = value;
      return this;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public ListSnapshotsRequest build() {
      return new ListSnapshotsValue(
          maxEntries,
          Optional.ofNullable(startingToken),
          Optional.ofNullable(sourceVolumeId),
          Optional.ofNullable(snapshotId),
          secrets);
    }

    private record ListSnapshotsValue(
        int maxEntries,
        Optional<String> startingToken,
        Optional<VolumeId> sourceVolumeId,
        Optional<SnapshotId> snapshotId,
        Secrets secrets)
        implements ListSnapshotsRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
