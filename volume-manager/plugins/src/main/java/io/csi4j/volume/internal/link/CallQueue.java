package io.csi4j.volume.internal.link;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Admits a limited number of calls at a time. Further calls wait in order, without occupying a
 * thread.
 */
public final class CallQueue {

  private final int places;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int taken;

  /** Creates a queue that admits this number of calls at a time. */
  public CallQueue(int places) {
    this.places = places;
  }

  /**
   * Runs a call when a place is free: on this thread, or later on the thread that returns a place.
   * The call must neither block nor throw an exception.
   */
  public void enter(Runnable start) {
    if (enterNow(start)) {
      start.run();
    }
  }

  /**
   * Takes a place if one is free. Otherwise {@code turn} waits for a place, and then runs on the
   * thread that returns the place. It must neither block nor throw an exception.
   *
   * @return whether a place was free
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

  /** Removes a waiting turn. Returns false if the turn is not waiting. */
  public boolean forget(Runnable turn) {
    lock.lock();
    try {
      return waiting.remove(turn);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes and returns all waiting turns. A caller that is being closed runs them without a place.
   */
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

  /** Returns a place, which the next waiting turn takes. */
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
