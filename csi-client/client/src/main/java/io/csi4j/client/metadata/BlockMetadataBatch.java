package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;
import java.util.List;

/**
 * One message of a stream of block metadata.
 *
 * @since 1.0
 */
@Experimental
public interface BlockMetadataBatch {

  /** Whether all ranges have one size. */
  BlockMetadataType type();

  /** The size of the volume. */
  long volumeCapacityBytes();

  /** The ranges: ascending, not overlapping, clipped to what was not delivered before. */
  List<BlockRange> ranges();
}
