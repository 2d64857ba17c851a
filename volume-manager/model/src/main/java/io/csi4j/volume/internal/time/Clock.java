package io.csi4j.volume.internal.time;

import java.time.Instant;

/** A clock. */
public interface Clock {

  /** Returns a monotonic time in nanoseconds, for all decisions. */
  long nanos();

  /** Returns the time of day, for people. */
  Instant wall();
}
