package io.csi4j.volume.internal.time;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs what is put in one after the other, in order, where the executor runs its work; what is
 * thrown is told, and ends nothing.
 */
public final class Mailbox {

  private final Executor executor;
  private final Consumer<Throwable> broken;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Queue<Runnable> waiting;
  private boolean running;
  private boolean closed;

  /** With nothing in it. */
  public Mailbox(Executor executor, Consumer<Throwable> broken) {
    this.executor = executor;
    this.broken = broken;
  }

  /** Runs it when everything before it has run; never once it is closed. */
  public void put(Runnable work) {
    if (enqueue(work, true)) {
      executor.execute(this::drain);
    }
  }

  /** Puts it behind everything else, to be run after {@link #wake} or with what is running. */
  public void add(Runnable work) {
    var unused = enqueue(work, false);
  }

  /** Returns whether the caller has to let the work begin. */
  private boolean enqueue(Runnable work, boolean begin) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      if (waiting == null) {
        waiting = new ArrayDeque<>(2);
      }
      waiting.add(work);
      boolean isMine = begin && !running;
      running |= isMine;
      return isMine;
    } finally {
      lock.unlock();
    }
  }

  /** Runs what was added. If the executor refuses, it stays, and this may be tried again. */
  public void wake() {
    lock.lock();
    try {
      if (running || waiting == null) {
        return;
      }
      running = true;
    } finally {
      lock.unlock();
    }
    boolean begun = false;
    try {
      executor.execute(this::drain);
      begun = true;
    } finally {
      if (!begun) {
        lock.lock();
        try {
          running = false;
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /** Forgets what has not begun, and takes nothing more. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      waiting = null;
    } finally {
      lock.unlock();
    }
  }

  private void drain() {
    for (Runnable work = next(); work != null; work = next()) {
      try {
        work.run();
      } catch (RuntimeException | VirtualMachineError | LinkageError | AssertionError failure) {
        broken.accept(failure);
      }
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable work = waiting == null ? null : waiting.poll();
      if (work == null) {
        waiting = null;
        running = false;
      }
      return work;
    } finally {
      lock.unlock();
    }
  }
}
