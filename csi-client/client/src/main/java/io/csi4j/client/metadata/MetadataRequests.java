package io.csi4j.client.metadata;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;

/** The hidden values behind the requests of {@code io.csi4j.client.metadata}. */
final class MetadataRequests {

  private MetadataRequests() {}

  /** See {@link GetMetadataAllocatedRequest}. */
  public record GetMetadataAllocated(
      SnapshotId snapshotId, long startingOffset, int maxResults, Secrets secrets)
      implements GetMetadataAllocatedRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link GetMetadataDeltaRequest}. */
  public record GetMetadataDelta(
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
