package io.csi4j.volume.internal.time;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The pauses between rounds of the same work, and the timer for the next round. Pauses are spread
 * at random, so that hosts do not work in step, and grow with each round in a row that failed. Safe
 * for many threads.
 */
public final class Rounds implements AutoCloseable {

  /** The longest pause, in intervals. */
  private static final int MOST = 16;

  private static final double SPREAD = 0.2;

  /** The interval that stands for all longer ones. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private Backoff pauses;
  private int failures;
  private @Nullable Timer next;
  private boolean closed;

  /**
   * No round is planned yet.
   *
   * @param scheduler runs the rounds, and draws
   */
  public Rounds(Scheduler scheduler, Backoff pauses) {
    this.scheduler = scheduler;
    this.pauses = pauses;
  }

  /** Returns pauses of an interval, a fifth more or less, and up to sixteen times as long. */
  public static Backoff about(Duration interval) {
    Duration usual = interval.compareTo(LONGEST) > 0 ? LONGEST : interval;
    return new Backoff(usual, usual.multipliedBy(MOST), 1 - SPREAD, 2 * SPREAD);
  }

  /** Draws the next pauses from these, as if no round had failed. */
  public void restart(Backoff newPauses) {
    lock.lock();
    try {
      pauses = newPauses;
      failures = 0;
    } finally {
      lock.unlock();
    }
  }

  /** A round has ended; whether it has failed decides about the next pause. */
  public void ended(boolean isGood) {
    lock.lock();
    try {
      failures = isGood ? 0 : failures + 1;
    } finally {
      lock.unlock();
    }
  }

  /** Draws the pause before the next round. */
  public Duration pause() {
    lock.lock();
    try {
      return pauses.pause(failures + 1, scheduler.random());
    } finally {
      lock.unlock();
    }
  }

  /** Plans the next round after a pause, in place of one that is planned. */
  public void plan(Runnable round) {
    plan(pause(), round);
  }

  /** Plans the next round after this pause, in place of one that is planned. */
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

  /** Forgets the round that is planned. */
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

  /** Forgets the round that is planned, and plans no other. */
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
