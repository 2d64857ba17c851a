package io.csi4j.testkit.internal.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A gate that holds tasks while it is shut, and runs them in order of arrival when it is opened.
 */
public final class HoldingGate {

  private final Executor workers;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean shut;

  /** Creates an open gate; tasks that had to wait run on {@code workers}. */
  HoldingGate(Executor workers) {
    this.workers = workers;
  }

  /** Runs {@code work} immediately on this thread, or when the gate is opened. */
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

  /** Lets all tasks pass, including the waiting ones. */
  public void open() {
    lock.lock();
    try {
      shut = false;
      flush();
    } finally {
      lock.unlock();
    }
  }

  /** Runs the waiting tasks, and stays shut. */
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
