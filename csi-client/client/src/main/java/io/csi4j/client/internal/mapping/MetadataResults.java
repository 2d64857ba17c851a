package io.csi4j.client.internal.mapping;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.metadata.BlockMetadataBatch;
import java.util.List;

/** The non-exported records that implement the results of {@code io.csi4j.client.metadata}. */
final class MetadataResults {

  private MetadataResults() {}

  /** See {@link BlockMetadataBatch}. */
  public record BlockMetadataBatchValue(
      BlockMetadataBatch.Type type, long volumeCapacityBytes, List<BlockMetadataBatch.Range> ranges)
      implements BlockMetadataBatch {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
