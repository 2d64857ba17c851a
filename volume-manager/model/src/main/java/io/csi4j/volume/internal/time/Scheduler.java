package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/** Threads. What it runs may block for as long as a disk or a kernel call takes, not longer. */
public interface Scheduler extends Executor {

  /** Runs it soon, on some thread. */
  @Override
  void execute(Runnable work);

  /** Runs it once, when this time is over. */
  Timer after(Duration delay, Runnable work);

  /** A random number from 0 to below 1, for pauses. */
  default double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  /** Something that is to be run later. */
  interface Timer {
    /** Does not run it, if it does not run already. */
    void cancel();
  }
}
