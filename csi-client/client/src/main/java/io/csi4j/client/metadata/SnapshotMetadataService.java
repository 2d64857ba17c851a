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
   * The snapshot metadata service without blocking. Each subscription is a separate call, which is
   * sent when the subscriber requests the first batch. The client fetches only as many batches as
   * the subscriber requests. Cancelling the subscription cancels the call. The metadata is complete
   * only when {@code onComplete} is called. Subscribers are called on the callback threads of the
   * connection.
   */
  @Experimental
  interface Async {

    /** Reads the ranges of a snapshot that contain data, in ascending order. */
    Flow.Publisher<BlockMetadataBatch> getMetadataAllocated(GetMetadataAllocatedRequest request);

    /** Reads the ranges that differ between two snapshots, in ascending order. */
    Flow.Publisher<BlockMetadataBatch> getMetadataDelta(GetMetadataDeltaRequest request);
  }
}
