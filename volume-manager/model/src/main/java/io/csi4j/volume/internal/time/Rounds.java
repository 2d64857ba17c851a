package io.csi4j.volume.internal.time;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pauses between rounds of periodic work, and the timer for the next round. Pauses are
 * randomized, so that hosts do not work in step, and grow with each consecutive failed round.
 * Thread-safe.
 */
public final class Rounds implements AutoCloseable {

  /** The longest pause, as a multiple of the interval. */
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
   * Creates rounds; none is planned yet.
   *
   * @param scheduler runs the rounds, and provides random numbers
   */
  public Rounds(Scheduler scheduler, Backoff pauses) {
    this.scheduler = scheduler;
    this.pauses = pauses;
  }

  /** Returns pauses of about an interval, a fifth more or less, and up to sixteen times as long. */
  public static Backoff about(Duration interval) {
    Duration usual = interval.compareTo(LONGEST) > 0 ? LONGEST : interval;
    return new Backoff(usual, usual.multipliedBy(MOST), 1 - SPREAD, 2 * SPREAD);
  }

  /** Uses these pauses from now on, as if no round had failed. */
  public void restart(Backoff newPauses) {
    lock.lock();
    try {
      pauses = newPauses;
      failures = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a round has ended; whether it failed determines the next pause. */
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

  /** Plans the next round after a pause, and replaces a planned one. */
  public void plan(Runnable round) {
    plan(pause(), round);
  }

  /** Plans the next round after this pause, and replaces a planned one. */
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

  /** Cancels the planned round, and plans no other. */
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
