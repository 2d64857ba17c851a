package io.csi4j.volume.internal.time;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
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
 * Daemon threads that exist only while they have something to do, and some seconds longer: one for
 * each piece of work at a time, perhaps with a bound. One more watches the time while there is
 * something to wait for. After closing, work is refused.
 */
public final class OnDemandThreads implements Scheduler, AutoCloseable {

  private static final long IDLE_SECONDS = 2;

  private final ThreadPoolExecutor pool;
  private final ScheduledThreadPoolExecutor timer;

  /** Whether the machine gave no thread to watch the time when something was to wait. */
  private volatile boolean lacksWatch;

  /**
   * No thread yet, and no bound.
   *
   * @param name what their names begin with
   */
  public OnDemandThreads(String name) {
    this(name, new NamedThreads(name + "-timer"));
  }

  /** No thread yet, and no bound; the one that watches the time is made by this. */
  OnDemandThreads(String name, ThreadFactory watch) {
    this(0, Integer.MAX_VALUE, new SynchronousQueue<>(), name, watch);
  }

  /**
   * No thread yet.
   *
   * @param name what their names begin with
   * @param most so many threads at most; further work waits in order
   */
  public OnDemandThreads(String name, int most) {
    this(most, most, new LinkedBlockingQueue<>(), name, new NamedThreads(name + "-timer"));
    pool.allowCoreThreadTimeOut(true);
  }

  private OnDemandThreads(
      int kept, int most, BlockingQueue<Runnable> waiting, String name, ThreadFactory watch) {
    pool =
        new ThreadPoolExecutor(
            kept, most, IDLE_SECONDS, TimeUnit.SECONDS, waiting, new NamedThreads(name));
    timer = new ScheduledThreadPoolExecutor(1, watch);
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable work) {
    watchAgain();
    pool.execute(work);
  }

  /** Returns the threads, for a library that takes a service of the JDK. */
  public ExecutorService service() {
    return pool;
  }

  /** Runs it on one of the threads; here, if it is refused. */
  public void executeOrRun(Runnable work) {
    watchAgain();
    try {
      pool.execute(work);
    } catch (RuntimeException | Error refused) {
      // It is closed, or this is how the JVM says that the machine gives no more threads.
      work.run();
    }
  }

  /**
   * Runs it once, when this time is over, also after closing. If the machine gives no thread to
   * watch the time, it may run later: as soon as there is other work and a thread.
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
      // It is in line all the same.
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

  /** Lets what has begun end, and begins nothing more. */
  @Override
  public void close() {
    pool.shutdown();
  }

  /**
   * Interrupts what has begun, and begins nothing more.
   *
   * @param limit how long the end of it is waited for
   */
  public void stop(Duration limit) {
    var unused = pool.shutdownNow();
    await(limit);
  }

  /** Waits until the last thread has ended, after closing. */
  void await(Duration limit) {
    try {
      var unused = pool.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
