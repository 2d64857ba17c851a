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
 * Daemon threads that exist only while they have something to do, and some seconds longer: one for
 * each piece of work at a time, perhaps with a bound. One more watches the time while there is
 * something to wait for. After closing, work is refused.
 */
public final class OnDemandThreads implements Scheduler, AutoCloseable {

  private static final Duration IDLE = Duration.ofSeconds(2);

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
    this(name, Integer.MAX_VALUE);
  }

  /**
   * No thread yet.
   *
   * @param name what their names begin with
   * @param most so many threads at most; further work waits in order
   */
  public OnDemandThreads(String name, int most) {
    this(name, most, IDLE, new NamedThreads(name + "-timer"));
  }

  /**
   * No thread yet.
   *
   * @param idle how long a thread stays that has nothing to do
   * @param watch makes the thread that watches the time
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
      // The runner is closed, or the JVM reports that the machine has no more threads.
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
