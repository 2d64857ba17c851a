package io.csi4j.testkit.internal.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/** A place where work waits while it is shut, and goes on, first come first, when it is opened. */
public final class HoldingGate {

  private final Executor workers;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> waiting = new ArrayList<>();
  private boolean shut;

  /** A gate that is open; who waited goes on there. */
  HoldingGate(Executor workers) {
    this.workers = workers;
  }

  /** Runs {@code work} here and now, or when the gate is opened. */
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

  /** Lets nothing pass any more. */
  public void shut() {
    lock.lock();
    try {
      shut = true;
    } finally {
      lock.unlock();
    }
  }

  /** Lets everything pass, also what waited. */
  public void open() {
    lock.lock();
    try {
      shut = false;
      flush();
    } finally {
      lock.unlock();
    }
  }

  /** Lets those pass that wait, and no others. */
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
