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

/** The threads on which a plugin does its work, as many as it needs at a time. */
final class PluginWorkers implements Executor {

  private final OwnThreads threads;
  private final ThreadPoolExecutor pool;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Those in the middle of work. Guarded by the lock. */
  private final Set<Thread> busy = new HashSet<>();

  /** Those that bring a call from one resting place to the next. Guarded by the lock. */
  private final Set<Thread> moving = new HashSet<>();

  /** How many calls no thread has taken up yet that are to go on at once. Guarded by the lock. */
  private int handedOver;

  PluginWorkers(ThreadFactory maker) {
    threads = new OwnThreads(maker);
    pool =
        new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
  }

  /** Lets a call go on, on another thread. */
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
      // The plugin is closed: its work ends where it stands.
    }
  }

  boolean isClosed() {
    return pool.isShutdown();
  }

  /** Brings a call on its way, on this thread, until it rests: it waits, works, or has ended. */
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

  /** Waits until every call but this thread's is at rest, for so long at the most. */
  void awaitRest(Duration atMost) {
    Thread self = Thread.currentThread();
    await(atMost, () -> handedOver == 0 && moving.stream().allMatch(thread -> thread == self));
  }

  /**
   * Does the work of a call that is travelling on this thread. It may take any time: a stop of the
   * plugin waits for it, and a wait for calls on their way does not.
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

  /** Waits until no other thread is in the middle of work, for so long at the most. */
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

  /** Interrupts what still runs, and ends every thread. */
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
