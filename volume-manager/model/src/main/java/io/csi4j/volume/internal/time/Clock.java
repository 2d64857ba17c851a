package io.csi4j.volume.internal.time;

import java.time.Instant;

/** Time. */
public interface Clock {

  /** Nanoseconds that only ever grow; for every decision. */
  long nanos();

  /** The time of day, for people. */
  Instant wall();
}
