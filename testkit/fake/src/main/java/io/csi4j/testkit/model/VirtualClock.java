package io.csi4j.testkit.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that advances only when a test advances it. Due tasks run on the thread that calls {@link
 * #advance}, in the order of their times.
 *
 * @since 1.0
 */
public final class VirtualClock implements PluginClock {

  private record Due(Instant at, long order, Runnable work) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(Comparator.comparing(Due::at).thenComparingLong(Due::order));
  private Instant now;
  private long orders;

  private VirtualClock(Instant start) {
    this.now = start;
  }

  /** Returns a clock whose time is {@code start}. */
  public static VirtualClock at(Instant start) {
    return new VirtualClock(start);
  }

  /** Returns a clock whose time is the beginning of the epoch. */
  public static VirtualClock create() {
    return at(Instant.EPOCH);
  }

  @Override
  public Instant now() {
    lock.lock();
    try {
      return now;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void after(Duration delay, Runnable work) {
    lock.lock();
    try {
      waiting.add(new Due(now.plus(delay), orders++, work));
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of scheduled tasks that are not due yet. */
  public int pending() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Advances the clock by {@code time}, and runs the tasks that become due. Tasks that these tasks
   * schedule run as well, if they become due.
   */
  public void advance(Duration time) {
    Instant end = now().plus(time);
    for (Runnable work = next(end); work != null; work = next(end)) {
      work.run();
    }
  }

  private @org.jspecify.annotations.Nullable Runnable next(Instant end) {
    lock.lock();
    try {
      Due due = waiting.peek();
      if (due == null || due.at().isAfter(end)) {
        now = now.isAfter(end) ? now : end;
        return null;
      }
      waiting.remove();
      now = due.at();
      return due.work();
    } finally {
      lock.unlock();
    }
  }
}
