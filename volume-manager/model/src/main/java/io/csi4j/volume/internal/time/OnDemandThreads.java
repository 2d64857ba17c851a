package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Daemon threads that exist while they have work, and a few seconds longer. Each concurrent task
 * has its own thread, up to an optional maximum. One more thread exists while timers are set. After
 * closing, new work is rejected.
 */
public final class OnDemandThreads implements Scheduler, AutoCloseable {

  private static final Duration IDLE = Duration.ofSeconds(2);

  private final ThreadPoolExecutor pool;
  private final ScheduledThreadPoolExecutor timer;

  /** Whether the timer thread could not be started when a timer was set. */
  private volatile boolean lacksWatch;

  /**
   * Creates a pool without a maximum; it has no threads yet.
   *
   * @param name the prefix of the names of the threads
   */
  public OnDemandThreads(String name) {
    this(name, Integer.MAX_VALUE);
  }

  /**
   * Creates a pool; it has no threads yet.
   *
   * @param name the prefix of the names of the threads
   * @param most the maximum number of threads; further work waits in a queue
   */
  public OnDemandThreads(String name, int most) {
    this(name, most, IDLE, new NamedThreads(name + "-timer"));
  }

  /**
   * Creates a pool; it has no threads yet.
   *
   * @param idle the time that an idle thread is kept
   * @param watch creates the timer thread
   */
  OnDemandThreads(String name, int most, Duration idle, ThreadFactory watch) {
    boolean isBounded = most < Integer.MAX_VALUE;
    pool =
        new ThreadPoolExecutor(
            isBounded ? most : 0,
            most,
            idle.toNanos(),
            TimeUnit.NANOSECONDS,
            isBounded ? new LinkedBlockingQueue<>() : new SynchronousQueue<>(),
            new NamedThreads(name));
    pool.allowCoreThreadTimeOut(true);
    timer = new ScheduledThreadPoolExecutor(1, watch);
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(idle.toNanos(), TimeUnit.NANOSECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable work) {
    watchAgain();
    pool.execute(work);
  }

  /** Returns the threads as an executor service of the JDK, for libraries that need one. */
  public ExecutorService service() {
    return pool;
  }

  /** Runs the work on one of the threads, or on the calling thread if it is rejected. */
  public void executeOrRun(Runnable work) {
    watchAgain();
    try {
      pool.execute(work);
    } catch (RuntimeException | Error refused) {
      // The threads are closed, or the JVM reports that the machine has no more threads.
      work.run();
    }
  }

  /**
   * Runs the work once, after this delay, even if this object was closed in the meantime. If the
   * timer thread cannot be started, the work may run later than planned: the next task for this
   * object tries to start the timer thread again.
   */
  @Override
  public Timer after(Duration delay, Runnable work) {
    AtomicBoolean isCancelled = new AtomicBoolean();
    Runnable due =
        () -> {
          if (!isCancelled.get()) {
            executeOrRun(
                () -> {
                  var unused = SystemScheduler.run(work);
                });
          }
        };
    try {
      ScheduledFuture<?> waiting =
          timer.schedule(due, SystemScheduler.nanos(delay), TimeUnit.NANOSECONDS);
      return () -> waiting.cancel(false);
    } catch (OutOfMemoryError noThread) {
      // The timer is in the queue although its thread could not be started.
      lacksWatch = true;
      return () -> isCancelled.set(true);
    }
  }

  private void watchAgain() {
    if (lacksWatch) {
      lacksWatch = false;
      try {
        var unused = timer.prestartCoreThread();
      } catch (OutOfMemoryError stillNone) {
        lacksWatch = true;
      }
    }
  }

  /** Rejects new work. Work that was already accepted is finished. */
  @Override
  public void close() {
    pool.shutdown();
  }

  /**
   * Interrupts running work, and starts no further work.
   *
   * @param limit the maximum time to wait for the end of the running work
   */
  public void stop(Duration limit) {
    var unused = pool.shutdownNow();
    await(limit);
  }

  /** Waits after closing until the last thread has ended. */
  void await(Duration limit) {
    try {
      var unused = pool.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
