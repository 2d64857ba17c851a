package io.csi4j.volume.internal.time;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

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
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (waiting == null) {
        waiting = new ArrayDeque<>(2);
      }
      waiting.add(work);
      if (running) {
        return;
      }
      running = true;
    } finally {
      lock.unlock();
    }
    executor.execute(this::drain);
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
        tell(failure);
      }
    }
  }

  /** A failure of what is done about a failure keeps nothing else from being done. */
  private void tell(Throwable failure) {
    try {
      broken.accept(failure);
    } catch (RuntimeException | VirtualMachineError | LinkageError | AssertionError again) {
      LOG.log(Level.ERROR, "What was done about a failure failed itself; report this.", again);
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
