package io.csi4j.conformance.internal.plugin;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Pauses between calls that are repeated until a deadline. Each pause is longer than the previous
 * pause, up to a maximum.
 */
final class Pause {

  private static final long FIRST = Duration.ofMillis(20).toNanos();
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();

  private final long end;
  private long next = FIRST;

  Pause(Duration deadline) {
    end = System.nanoTime() + deadline.toNanos();
  }

  /** Waits, and returns whether there is time for another call. */
  boolean again() {
    long left = end - System.nanoTime();
    if (left <= 0 || Thread.currentThread().isInterrupted()) {
      return false;
    }
    LockSupport.parkNanos(Math.min(next, left));
    next = Math.min(2 * next, LONGEST);
    return true;
  }
}
