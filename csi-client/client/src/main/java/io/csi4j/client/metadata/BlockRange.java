package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;

/**
 * A range of bytes of a block volume.
 *
 * @param offset its first byte
 * @param size its length, above zero
 * @since 1.0
 */
@Experimental
public record BlockRange(long offset, long size) {

  /** The first byte behind it. */
  public long end() {
    return offset + size;
  }
}
