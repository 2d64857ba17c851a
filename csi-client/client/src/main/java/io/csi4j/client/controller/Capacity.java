package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;
import java.util.OptionalLong;

/**
 * The capacity that is available for volumes with the requested properties.
 *
 * @since 1.0
 */
public interface Capacity {

  /** The available bytes. */
  long availableBytes();

  /** The largest size of a single volume, if reported. */
  OptionalLong maximumVolumeSize();

  /** The smallest size of a single volume, if reported. */
  @Experimental
  OptionalLong minimumVolumeSize();
}
