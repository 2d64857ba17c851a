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
  Type type();

  /** The size of the volume. */
  long volumeCapacityBytes();

  /** The ranges: ascending, not overlapping, clipped to what was not delivered before. */
  List<Range> ranges();

  /**
   * Whether all ranges of a stream have one size.
   *
   * @since 1.0
   */
  @Experimental
  enum Type {
    /** The plugin did not say, or said something that this library does not know. */
    UNRECOGNIZED,
    /** The lengths are the same. */
    FIXED_LENGTH,
    /** The lengths differ. */
    VARIABLE_LENGTH
  }

  /**
   * A range of bytes of a block volume.
   *
   * @param offset its first byte
   * @param size its length, above zero
   * @since 1.0
   */
  @Experimental
  record Range(long offset, long size) {

    /** The first byte behind it. */
    public long end() {
      return offset + size;
    }
  }
}
