package io.csi4j.client.metadata;

import io.csi4j.client.Experimental;
import java.util.concurrent.Flow;

/**
 * The snapshot metadata service without blocking. Each subscription is a call of its own, sent when
 * the first batch is requested; no more batches are fetched than were requested. Cancelling the
 * subscription cancels the call. Only {@code onComplete} means that the metadata is complete.
 * Subscribers are called on the callback threads of the connection.
 */
@Experimental
public interface AsyncSnapshotMetadataService {

  /** The ranges of a snapshot that hold data, in ascending order. */
  Flow.Publisher<BlockMetadataBatch> getMetadataAllocated(GetMetadataAllocatedRequest request);

  /** The ranges that differ between two snapshots, in ascending order. */
  Flow.Publisher<BlockMetadataBatch> getMetadataDelta(GetMetadataDeltaRequest request);
}
