package io.csi4j.testkit.internal.server;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The threads on which a plugin does its work. Their number grows and shrinks as needed. */
final class PluginWorkers implements Executor {

  private final OwnThreads threads;
  private final ThreadPoolExecutor pool;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Threads that do the work of a call. Guarded by the lock. */
  private final Set<Thread> busy = new HashSet<>();

  /** Threads that run a call up to its next waiting point. Guarded by the lock. */
  private final Set<Thread> moving = new HashSet<>();

  /** Number of calls that are ready to continue but have no thread yet. Guarded by the lock. */
  private int handedOver;

  PluginWorkers(ThreadFactory maker) {
    threads = new OwnThreads(maker);
    pool =
        new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
  }

  /** Continues a call on another thread. */
  @Override
  public void execute(Runnable way) {
    mark(() -> handedOver++);
    try {
      pool.execute(
          () ->
              travel(
                  () -> {
                    mark(() -> handedOver--);
                    way.run();
                  }));
    } catch (RejectedExecutionException e) {
      mark(() -> handedOver--);
      if (!pool.isShutdown()) {
        throw e;
      }
      // The plugin is closed, so the call does not continue.
    }
  }

  boolean isClosed() {
    return pool.isShutdown();
  }

  /** Runs a call on this thread until the call waits, does its work, or ends. */
  void travel(Runnable way) {
    Thread self = Thread.currentThread();
    boolean outermost = setsOut(self);
    try {
      way.run();
    } finally {
      if (outermost) {
        mark(() -> moving.remove(self));
      }
    }
  }

  /**
   * Waits at most this time until no other thread is moving a call. Each call then waits, works or
   * has ended.
   */
  void awaitRest(Duration atMost) {
    Thread self = Thread.currentThread();
    await(atMost, () -> handedOver == 0 && moving.stream().allMatch(thread -> thread == self));
  }

  /**
   * Does the work of a call on this thread. The work may take any time. {@link #awaitIdle} waits
   * for it, but {@link #awaitRest} does not.
   */
  void work(Runnable work) {
    Thread self = Thread.currentThread();
    mark(
        () -> {
          busy.add(self);
          moving.remove(self);
        });
    try {
      work.run();
    } finally {
      mark(
          () -> {
            busy.remove(self);
            moving.add(self);
          });
    }
  }

  /** Waits at most this time until no other thread does the work of a call. */
  void awaitIdle(Duration atMost) {
    Thread self = Thread.currentThread();
    await(atMost, () -> busy.stream().allMatch(thread -> thread == self));
  }

  private void await(Duration atMost, BooleanSupplier condition) {
    long left = atMost.toNanos();
    lock.lock();
    try {
      while (left > 0 && !condition.getAsBoolean()) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts running work, and ends every thread. */
  void close() {
    pool.shutdownNow();
    threads.awaitEnd();
  }

  private boolean setsOut(Thread thread) {
    lock.lock();
    try {
      return moving.add(thread);
    } finally {
      lock.unlock();
    }
  }

  private void mark(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
