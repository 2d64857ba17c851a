package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;

/**
 * Whether all ranges of a stream have one size.
 *
 * @since 1.0
 */
@Experimental
public enum BlockMetadataType {
  /** The plugin did not say, or said something that this library does not know. */
  UNRECOGNIZED,
  /** The lengths are the same. */
  FIXED_LENGTH,
  /** The lengths differ. */
  VARIABLE_LENGTH
}
