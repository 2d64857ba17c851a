package io.csi4j.volume.internal.time;

import java.time.Instant;

/** The source of time. Tests replace it by virtual time. */
public interface Clock {

  /** Returns a monotonic time in nanoseconds, which all decisions use. */
  long nanos();

  /** Returns the date and time of day, which only messages for people use. */
  Instant wall();
}
