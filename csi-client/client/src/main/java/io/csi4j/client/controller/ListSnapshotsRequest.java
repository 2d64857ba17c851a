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

  /** Maximum number of entries of a page; zero for no limit. */
  int maxEntries();

  /** Token returned with the previous page, if set; the listing starts there. */
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

    /** Token returned with the previous page; the listing starts there. */
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
