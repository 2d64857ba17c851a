package io.csi4j.volume.internal.time;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pauses between rounds of periodic work, and the timer for the next round. Pauses are
 * randomized, so that the rounds of many hosts are spread over time. They grow with each
 * consecutive failed round. Thread-safe.
 */
public final class Rounds implements AutoCloseable {

  /** The longest pause after failed rounds, as a multiple of the interval. */
  private static final int MOST = 16;

  private static final double SPREAD = 0.2;

  /** The longest supported interval. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private Backoff pauses;
  private int failures;
  private @Nullable Timer next;
  private boolean closed;

  /**
   * Creates an object without a planned round.
   *
   * @param scheduler the scheduler that runs the rounds and provides random numbers
   */
  public Rounds(Scheduler scheduler, Backoff pauses) {
    this.scheduler = scheduler;
    this.pauses = pauses;
  }

  /**
   * Returns pauses that differ from this interval by up to a fifth, and grow to up to sixteen times
   * the interval after failed rounds.
   */
  public static Backoff about(Duration interval) {
    Duration usual = interval.compareTo(LONGEST) > 0 ? LONGEST : interval;
    return new Backoff(usual, usual.multipliedBy(MOST), 1 - SPREAD, 2 * SPREAD);
  }

  /** Replaces the pauses, and resets the number of failed rounds. */
  public void restart(Backoff newPauses) {
    lock.lock();
    try {
      pauses = newPauses;
      failures = 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records the end of a round. If the round failed, the next pause grows; otherwise, pauses start
   * again at their normal length.
   */
  public void ended(boolean isGood) {
    lock.lock();
    try {
      failures = isGood ? 0 : failures + 1;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the pause before the next round. */
  public Duration pause() {
    lock.lock();
    try {
      return pauses.pause(failures + 1, scheduler.random());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Plans the next round after the pause that is now due. Replaces a round that is already planned.
   */
  public void plan(Runnable round) {
    plan(pause(), round);
  }

  /** Plans the next round after this pause. Replaces a round that is already planned. */
  public void plan(Duration pause, Runnable round) {
    lock.lock();
    try {
      cancel();
      if (!closed) {
        next = scheduler.after(pause, round);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cancels the planned round. */
  public void cancel() {
    lock.lock();
    try {
      if (next != null) {
        next.cancel();
        next = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cancels the planned round. No round can be planned afterwards. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      cancel();
    } finally {
      lock.unlock();
    }
  }
}
