package io.csi4j.testkit.internal.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A gate for tasks. A shut gate holds the tasks; when it opens, they run in the order of their
 * arrival.
 */
public final class HoldingGate {

  private final Executor workers;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean shut;

  /** Creates an open gate. Tasks that had to wait run on {@code workers}. */
  HoldingGate(Executor workers) {
    this.workers = workers;
  }

  /**
   * Runs {@code work} immediately on this thread if the gate is open. A shut gate holds the task
   * until it opens or is flushed.
   */
  void pass(Runnable work) {
    lock.lock();
    try {
      if (shut) {
        waiting.add(work);
        return;
      }
    } finally {
      lock.unlock();
    }
    work.run();
  }

  /** Holds all further tasks. */
  public void shut() {
    lock.lock();
    try {
      shut = true;
    } finally {
      lock.unlock();
    }
  }

  /** Opens the gate, and runs the waiting tasks. */
  public void open() {
    lock.lock();
    try {
      shut = false;
      flush();
    } finally {
      lock.unlock();
    }
  }

  /** Runs the waiting tasks. The gate remains shut. */
  public void flush() {
    lock.lock();
    try {
      waiting.forEach(workers::execute);
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }
}
