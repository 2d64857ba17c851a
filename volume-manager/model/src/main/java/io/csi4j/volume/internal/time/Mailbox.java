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
 * thrown is told, and ends nothing. Where the executor takes no work, as it is closed or the JVM
 * has no memory for it, the work runs on the thread that put it in.
 */
public final class Mailbox {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final Executor executor;
  private final Consumer<Throwable> broken;
  private final Runnable drain = this::drain;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Queue<Runnable> waiting;

  /** From when a drain is handed over until nothing waits. */
  private boolean running;

  /** Whether a thread runs what is in it; a drain can be handed over and be refused as well. */
  private boolean draining;

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
    try {
      executor.execute(drain);
    } catch (RuntimeException | Error refused) {
      drain();
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
    for (Runnable work = first(); work != null; work = next()) {
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

  /** Returns the first piece of work; none while another thread is at it. */
  private @Nullable Runnable first() {
    lock.lock();
    try {
      if (draining) {
        return null;
      }
      draining = true;
      return next();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable work = waiting == null ? null : waiting.poll();
      if (work == null) {
        waiting = null;
        running = false;
        draining = false;
      }
      return work;
    } finally {
      lock.unlock();
    }
  }
}
