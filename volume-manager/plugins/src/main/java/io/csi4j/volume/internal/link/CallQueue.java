package io.csi4j.volume.internal.link;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Admits a limited number of calls at a time; the others wait in order, without a thread. */
public final class CallQueue {

  private final int places;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int taken;

  /** Creates a queue with this number of places. */
  public CallQueue(int places) {
    this.places = places;
  }

  /**
   * Runs a call once there is a place, on this thread or on the one that returns a place. The call
   * must not block or throw.
   */
  public void enter(Runnable start) {
    if (enterNow(start)) {
      start.run();
    }
  }

  /**
   * Takes a place if there is one. Otherwise {@code turn} gets the next free place, and runs on the
   * thread that returns it; it must not block or throw.
   *
   * @return whether there was a place
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

  /** Removes a waiting turn; returns false if it does not wait. */
  public boolean forget(Runnable turn) {
    lock.lock();
    try {
      return waiting.remove(turn);
    } finally {
      lock.unlock();
    }
  }

  /** Removes all waiting turns, for a caller that is closed: it runs them without a place. */
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

  /** Returns a place; the next waiting turn gets it. */
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
