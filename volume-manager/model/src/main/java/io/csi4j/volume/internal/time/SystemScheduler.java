package io.csi4j.volume.internal.time;

import io.csi4j.client.internal.time.Backoff;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A scheduler with a fixed number of daemon threads and one more thread for timers. All threads are
 * created at the start.
 *
 * <p>If work throws, the exception is logged, and other work is not affected. A caller that
 * schedules work never waits for it, and an interrupt of the caller does not interrupt the work.
 * After closing, new work is rejected with a {@link RejectedExecutionException}, and timers are
 * discarded.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** The pauses before failed work of a timer is run again. */
  private static final Backoff AGAIN = Backoff.exact(Duration.ofMillis(10), Duration.ofMinutes(1));

  /** The interval at which the timer thread wakes up while timers are set. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final ThreadPoolExecutor workers;
  private final ScheduledThreadPoolExecutor timer;
  private final Duration closing;

  /** Whether the timer thread wakes up regularly. */
  private final AtomicBoolean looks = new AtomicBoolean();

  /** Whether a timer was set since the timer thread last woke up. */
  private volatile boolean isAsked;

  /**
   * Starts the threads.
   *
   * @param threads the number of worker threads
   * @param name the prefix of the names of all threads
   * @param closing the maximum duration of {@link #close}
   * @throws NoThreadsException if the machine cannot provide this number of threads
   */
  public SystemScheduler(int threads, String name, Duration closing) {
    this(threads, new NamedThreads(name + "-worker"), new NamedThreads(name + "-timer"), closing);
  }

  SystemScheduler(
      int threads, ThreadFactory workerThreads, ThreadFactory timerThreads, Duration closing) {
    this.closing = closing;
    workers =
        new ThreadPoolExecutor(
            threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), workerThreads);
    timer = new ScheduledThreadPoolExecutor(1, timerThreads);
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    start(threads);
  }

  private void start(int threads) {
    Throwable cause = null;
    try {
      workers.prestartAllCoreThreads();
      timer.prestartAllCoreThreads();
    } catch (OutOfMemoryError refused) {
      // The JVM reports that the machine has no more threads.
      cause = refused;
    }
    int started = threads();
    if (started < threads + 1) {
      timer.shutdownNow();
      workers.shutdownNow();
      throw new NoThreadsException(
          "only " + started + " of " + (threads + 1) + " threads could be started", cause);
    }
  }

  /** Returns the number of threads, including the timer thread. */
  public int threads() {
    return workers.getPoolSize() + timer.getPoolSize();
  }

  @Override
  public void execute(Runnable work) {
    workers.execute(() -> run(work));
  }

  /**
   * {@inheritDoc} If the work throws, it is run again after growing pauses until it returns
   * normally. Otherwise, periodic work that plans its own next run would end after one failure.
   */
  @Override
  public Timer after(Duration delay, Runnable work) {
    try {
      if (delay.compareTo(LOOK) > 0) {
        keepLooking();
      }
      Due due = new Due(work);
      ScheduledFuture<?> planned =
          timer.schedule(() -> handOver(due), nanos(delay), TimeUnit.NANOSECONDS);
      return () -> {
        due.isCancelled = true;
        planned.cancel(false);
      };
    } catch (RejectedExecutionException closed) {
      return () -> {};
    }
  }

  /**
   * Lets the timer thread wake up regularly while timers are being set. Without this, the thread
   * would be woken for each new timer that expires before all others. This is true for most timers,
   * because usually no other timer is set. Most of them are cancelled long before they expire.
   */
  private void keepLooking() {
    isAsked = true;
    if (!looks.get() && looks.compareAndSet(false, true)) {
      look();
    }
  }

  private void look() {
    boolean goesOn = false;
    try {
      if (isAsked) {
        isAsked = false;
        var unused = timer.schedule(this::look, LOOK.toNanos(), TimeUnit.NANOSECONDS);
        goesOn = true;
      }
    } finally {
      if (!goesOn) {
        looks.set(false);
      }
    }
  }

  /** Returns a delay in nanoseconds, limited to a length that timers of the JDK support. */
  static long nanos(Duration delay) {
    return (delay.compareTo(LONGEST) < 0 ? delay : LONGEST).toNanos();
  }

  private void handOver(Due due) {
    try {
      workers.execute(due);
    } catch (RejectedExecutionException closed) {
      // The scheduler was closed in the meantime, so the timer is discarded.
    } catch (RuntimeException | Error refused) {
      // The workers could not accept the work because memory is exhausted.
      due.run();
    }
  }

  /** Work that runs when its timer expires. It is repeated until it returns normally. */
  private final class Due implements Runnable {
    private final Runnable work;
    private volatile boolean isCancelled;
    private int failures;

    Due(Runnable work) {
      this.work = work;
    }

    @Override
    public void run() {
      while (!isCancelled && !SystemScheduler.run(work) && !isPlannedAgain()) {
        LockSupport.parkNanos(AGAIN.first().toNanos());
      }
    }

    /**
     * Plans the work again. Returns false if that fails, for example because memory is exhausted.
     */
    private boolean isPlannedAgain() {
      try {
        long pause = AGAIN.pause(failures + 1).toNanos();
        var unused = timer.schedule(() -> handOver(this), pause, TimeUnit.NANOSECONDS);
        failures++;
        return true;
      } catch (RejectedExecutionException closed) {
        return true;
      } catch (RuntimeException | Error none) {
        return false;
      }
    }
  }

  /**
   * Runs the work, and logs the exception if it throws. Returns whether the work completed
   * normally.
   */
  static boolean run(Runnable work) {
    try {
      work.run();
      return true;
    } catch (Throwable failed) {
      // An Error must not end the thread, because the thread serves all volumes.
      Failures.log(LOGGER, "A task of the volume manager failed. Report this.", failed);
      return false;
    }
  }

  /**
   * Discards all timers, and waits within the time limit for work that was already handed to the
   * threads. Then interrupts work that is still running. Closing again has no effect.
   */
  @Override
  public void close() {
    timer.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(closing.toNanos(), TimeUnit.NANOSECONDS)) {
        LOGGER.log(
            Level.WARNING,
            "Closing the volume manager: {0} threads are still working after {1}, and are "
                + "interrupted.",
            workers.getActiveCount(),
            closing);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      workers.shutdownNow();
    }
  }
}
