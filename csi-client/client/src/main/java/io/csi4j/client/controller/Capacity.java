package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;
import java.util.OptionalLong;

/**
 * How much room is left for volumes of a kind.
 *
 * @since 1.0
 */
public interface Capacity {

  /** The bytes left. */
  long availableBytes();

  /** The greatest size of a single volume, if stated. */
  OptionalLong maximumVolumeSize();

  /** The least size of a single volume, if stated. */
  @Experimental
  OptionalLong minimumVolumeSize();
}
