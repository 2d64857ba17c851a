package io.csi4j.volume.internal.plugin.registration;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs tasks one at a time, in order, on the threads of another executor. */
final class Serial implements Executor {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean running;
  private boolean closed;

  Serial(Executor threads) {
    this.threads = threads;
  }

  /** Runs it when all before it are done; never if it was closed. */
  @Override
  public void execute(Runnable task) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      waiting.add(task);
      if (running) {
        return;
      }
      running = true;
    } finally {
      lock.unlock();
    }
    try {
      threads.execute(this::drain);
    } catch (RejectedExecutionException ended) {
      close();
    }
  }

  /** Forgets what waits, and takes no more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  private void drain() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (RuntimeException | Error failed) {
        LOGGER.log(Level.ERROR, "A task of the registration watch failed.", failed);
      }
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      Runnable task = waiting.poll();
      running = task != null;
      return task;
    } finally {
      lock.unlock();
    }
  }
}
