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

  /** Returns whether all ranges have one size. */
  Type type();

  /** The size of the volume. */
  long volumeCapacityBytes();

  /**
   * The ranges in ascending order, without overlaps. Bytes that an earlier batch delivered are cut
   * off.
   */
  List<Range> ranges();

  /**
   * Whether all ranges of a stream have one size.
   *
   * @since 1.0
   */
  @Experimental
  enum Type {
    /** The plugin did not report a type, or reported one that this library does not know. */
    UNRECOGNIZED,
    /** All ranges have the same length. */
    FIXED_LENGTH,
    /** The lengths of the ranges differ. */
    VARIABLE_LENGTH
  }

  /**
   * A range of bytes in a block volume.
   *
   * @param offset its first byte
   * @param size its length, above zero
   * @since 1.0
   */
  @Experimental
  record Range(long offset, long size) {

    /** The first byte after the range. */
    public long end() {
      return offset + size;
    }
  }
}
