package io.csi4j.client.metadata;

import io.csi4j.client.CallPolicy;
import io.csi4j.client.Experimental;
import java.util.function.UnaryOperator;

/**
 * Which blocks of a block volume a snapshot holds, or which changed between two. Ranges only, no
 * data. Safe for use by many threads.
 */
@Experimental
public interface SnapshotMetadataService {

  /** The ranges of a snapshot that hold data, in ascending order. */
  MetadataStream getMetadataAllocated(GetMetadataAllocatedRequest request);

  /** The ranges that differ between two snapshots, in ascending order. */
  MetadataStream getMetadataDelta(GetMetadataDeltaRequest request);

  /** The same service, not blocking. */
  AsyncSnapshotMetadataService async();

  /** The same service, with the policy of every call changed by {@code change}. */
  SnapshotMetadataService with(UnaryOperator<CallPolicy> change);
}
