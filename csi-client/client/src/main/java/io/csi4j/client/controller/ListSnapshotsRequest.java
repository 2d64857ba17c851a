package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page of the snapshots that the plugin knows.
 *
 * <p>Compares by value; its text form is free of secrets.
 *
 * @since 1.0
 */
public sealed interface ListSnapshotsRequest {

  /** How many entries a page may have; zero for no limit. */
  int maxEntries();

  /** Where to begin: the token that the page before gave, if stated. */
  Optional<String> startingToken();

  /** Only snapshots of this volume, if stated. */
  Optional<VolumeId> sourceVolumeId();

  /** Only this snapshot, if stated. */
  Optional<SnapshotId> snapshotId();

  /** The secrets that the plugin needs for this. */
  Secrets secrets();

  /** Begins a request with what it cannot do without. */
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

    /** How many entries a page may have; zero for no limit. */
    public Builder maxEntries(int value) {
      maxEntries = value;
      return this;
    }

    /** Where to begin: the token that the page before gave. */
    public Builder startingToken(String value) {
      startingToken = value;
      return this;
    }

    /** Only snapshots of this volume. */
    public Builder sourceVolumeId(VolumeId value) {
      sourceVolumeId = value;
      return this;
    }

    /** Only this snapshot. */
    public Builder snapshotId(SnapshotId value) {
      snapshotId = value;
      return this;
    }

    /** The secrets that the plugin needs for this. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** The request. */
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
