package io.csi4j.client.metadata;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;

/**
 * Asks which ranges of a snapshot contain data.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface GetMetadataAllocatedRequest {

  /** The snapshot. */
  SnapshotId snapshotId();

  /** The offset at which the ranges begin; zero for the complete volume. */
  long startingOffset();

  /** Maximum number of ranges in one message; zero lets the plugin choose. */
  int maxResults();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(SnapshotId snapshotId) {
    return new Builder(snapshotId);
  }

  /** Collects the parts of a {@link GetMetadataAllocatedRequest}. */
  final class Builder {
    private final SnapshotId snapshotId;
    private long startingOffset;
    private int maxResults;
    private Secrets secrets = Secrets.empty();

    private Builder(SnapshotId snapshotId) {
      this.snapshotId = snapshotId;
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
    public GetMetadataAllocatedRequest build() {
      return new GetMetadataAllocatedValue(snapshotId, startingOffset, maxResults, secrets);
    }

    private record GetMetadataAllocatedValue(
        SnapshotId snapshotId, long startingOffset, int maxResults, Secrets secrets)
        implements GetMetadataAllocatedRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
