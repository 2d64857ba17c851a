package io.csi4j.volume.internal.names;

import java.time.Duration;

/** Checks of durations that a host sets. */
public final class Durations {

  private Durations() {}

  /**
   * Returns the duration, which must be longer than zero.
   *
   * @param what the name of the duration in the failure message
   * @throws IllegalArgumentException if the duration is zero or negative
   */
  public static Duration positive(String what, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + value + ".");
    }
    return value;
  }

  /**
   * Returns the duration, which must not be negative.
   *
   * @param what the name of the duration in the failure message
   * @throws IllegalArgumentException if the duration is negative
   */
  public static Duration notNegative(String what, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " is negative: " + value + ".");
    }
    return value;
  }
}
