package io.csi4j.volume.internal.link;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Lets so many in at a time; the others wait in order, without a thread. */
public final class CallQueue {

  private final int places;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int taken;

  /** A queue before so many places. */
  public CallQueue(int places) {
    this.places = places;
  }

  /** Runs it once there is a place, here or where one is given back. It must not block or throw. */
  public void enter(Runnable start) {
    if (enterNow(start)) {
      start.run();
    }
  }

  /**
   * Takes a place if there is one. Otherwise {@code turn} is run where one is given back, and has
   * it; it must not block or throw.
   *
   * @return whether there was one
   */
  public boolean enterNow(Runnable turn) {
    lock.lock();
    try {
      if (taken == places) {
        waiting.add(turn);
        return false;
      }
      taken++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Takes out a turn; false if it does not wait. */
  public boolean forget(Runnable turn) {
    lock.lock();
    try {
      return waiting.remove(turn);
    } finally {
      lock.unlock();
    }
  }

  /** Takes out all turns that wait, for a caller that is closed: it runs them without a place. */
  public List<Runnable> takeWaiting() {
    lock.lock();
    try {
      List<Runnable> all = List.copyOf(waiting);
      waiting.clear();
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Gives the place back to the next in line. */
  public void leave() {
    @Nullable Runnable next;
    lock.lock();
    try {
      next = waiting.poll();
      if (next == null) {
        taken--;
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.run();
    }
  }
}
