package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Runs work on threads. Work may block for as long as a disk or kernel call takes, but not longer.
 */
public interface Scheduler extends Executor {

  /** Runs the work soon, on some thread. */
  @Override
  void execute(Runnable work);

  /** Runs the work once, after this delay. */
  Timer after(Duration delay, Runnable work);

  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for pauses. */
  default double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  /** Scheduled work. */
  interface Timer {
    /** Cancels the work, unless it is already running. */
    void cancel();
  }
}
