package io.csi4j.volume.internal.time;

import java.time.Instant;

/** The source of time. Tests use virtual time instead of real time. */
public interface Clock {

  /** Returns a monotonic time in nanoseconds, for measuring how much time has passed. */
  long nanos();

  /** Returns the date and time of day, for display and for records. */
  Instant wall();
}
