package io.csi4j.client.metadata;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;

/**
 * Asks which ranges differ between two snapshots of one volume.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface GetMetadataDeltaRequest {

  /** The older snapshot. */
  SnapshotId baseSnapshotId();

  /** The newer snapshot. */
  SnapshotId targetSnapshotId();

  /** The offset at which the ranges begin; zero for the complete volume. */
  long startingOffset();

  /** Maximum number of ranges in one message; zero lets the plugin choose. */
  int maxResults();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(SnapshotId baseSnapshotId, SnapshotId targetSnapshotId) {
    return new Builder(baseSnapshotId, targetSnapshotId);
  }

  /** Collects the parts of a {@link GetMetadataDeltaRequest}. */
  final class Builder {
    private final SnapshotId baseSnapshotId;
    private final SnapshotId targetSnapshotId;
    private long startingOffset;
    private int maxResults;
    private Secrets secrets = Secrets.empty();

    private Builder(SnapshotId baseSnapshotId, SnapshotId targetSnapshotId) {
      this.baseSnapshotId = baseSnapshotId;
      this.targetSnapshotId = targetSnapshotId;
    }

    /** The offset at which the ranges begin; zero for the complete volume. */
    public Builder startingOffset(long value) {
      startingOffset = value;
      return this;
    }

    /** Maximum number of ranges in one message; zero lets the plugin choose. */
    public Builder maxResults(int value) {
      maxResults = value;
      return this;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public GetMetadataDeltaRequest build() {
      return new GetMetadataDeltaValue(
          baseSnapshotId, targetSnapshotId, startingOffset, maxResults, secrets);
    }

    private record GetMetadataDeltaValue(
        SnapshotId baseSnapshotId,
        SnapshotId targetSnapshotId,
        long startingOffset,
        int maxResults,
        Secrets secrets)
        implements GetMetadataDeltaRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
