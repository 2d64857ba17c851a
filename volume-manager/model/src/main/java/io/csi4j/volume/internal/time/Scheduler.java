package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Runs work on threads. Work may block on the disk and on system calls, but must not wait for
 * anything that takes longer.
 */
public interface Scheduler extends Executor {

  /** Runs the work soon, on any thread. */
  @Override
  void execute(Runnable work);

  /** Runs the work once, after this delay. */
  Timer after(Duration delay, Runnable work);

  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for pauses. */
  default double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  /** A timer for scheduled work. */
  interface Timer {
    /** Cancels the work. Has no effect if the work is already running. */
    void cancel();
  }
}
