package io.csi4j.volume.internal.time;

import java.time.Instant;

/** The clock of this machine. */
public final class SystemClock implements Clock {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Instant wall() {
    return Instant.now();
  }
}
