package io.csi4j.client.metadata;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.Experimental;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;

/**
 * Calls that list the blocks in a snapshot of a block volume, or the blocks that differ between two
 * snapshots. The answers contain the ranges of the blocks, but not their data. Safe for use by many
 * threads.
 *
 * @since 1.0
 */
@Experimental
public interface SnapshotMetadataService {

  /** Reads the ranges of a snapshot that contain data, in ascending order. */
  MetadataStream getMetadataAllocated(GetMetadataAllocatedRequest request);

  /** Reads the ranges that differ between two snapshots, in ascending order. */
  MetadataStream getMetadataDelta(GetMetadataDeltaRequest request);

  /** Returns the non-blocking form of this service. */
  Async async();

  /** Returns a copy of this service that applies {@code change} to the policy of every call. */
  SnapshotMetadataService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The snapshot metadata service without blocking. Each subscription is a separate call, sent when
   * the first batch is requested; no more batches are fetched than were requested. Cancelling the
   * subscription cancels the call. Only {@code onComplete} means that the metadata is complete.
   * Subscribers are called on the callback threads of the connection.
   */
  @Experimental
  interface Async {

    /** Reads the ranges of a snapshot that contain data, in ascending order. */
    Flow.Publisher<BlockMetadataBatch> getMetadataAllocated(GetMetadataAllocatedRequest request);

    /** Reads the ranges that differ between two snapshots, in ascending order. */
    Flow.Publisher<BlockMetadataBatch> getMetadataDelta(GetMetadataDeltaRequest request);
  }
}
