package io.csi4j.client.metadata;

import io.csi4j.client.model.Experimental;

/** Whether all ranges of a stream have one size. */
@Experimental
public enum BlockMetadataType {
  /** The plugin did not say, or said something that this library does not know. */
  UNRECOGNIZED,
  /** They have. */
  FIXED_LENGTH,
  /** They differ. */
  VARIABLE_LENGTH
}
