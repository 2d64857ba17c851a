package io.csi4j.volume.placement;

import io.csi4j.client.controller.Capacity;
import java.time.Duration;
import java.util.Objects;

/**
 * The room that a plugin said it has for volumes of one kind in one place.
 *
 * @param capacity the answer of the plugin
 * @param age how long ago it answered
 * @since 1.0
 */
public record CapacityReading(Capacity capacity, Duration age) {

  /** Checks that both are there. */
  public CapacityReading {
    Objects.requireNonNull(capacity, "capacity");
    Objects.requireNonNull(age, "age");
  }

  /** As in {@code 1073741824 bytes left, asked 12 s ago}. */
  @Override
  public String toString() {
    return capacity.availableBytes() + " bytes left, asked " + age.toSeconds() + " s ago";
  }
}
