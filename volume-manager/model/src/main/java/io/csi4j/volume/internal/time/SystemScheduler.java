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
 * A fixed number of daemon threads, all created at the start, and one more for timers.
 *
 * <p>Exceptions of work are logged and affect no other work. A caller that schedules work never
 * waits, and its interrupt does not reach the work. After closing, new work is rejected with a
 * {@link RejectedExecutionException}, and timers are discarded.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** The pauses before failed work is run again. */
  private static final Backoff AGAIN = Backoff.exact(Duration.ofMillis(10), Duration.ofMinutes(1));

  /** The polling interval of the timer thread while timers are set. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final ThreadPoolExecutor workers;
  private final ScheduledThreadPoolExecutor timer;
  private final Duration closing;

  /** Whether the timer thread polls. */
  private final AtomicBoolean looks = new AtomicBoolean();

  /** Whether a timer was set since the last poll. */
  private volatile boolean isAsked;

  /**
   * Starts the threads.
   *
   * @param threads the number of worker threads
   * @param name the prefix of the names of all threads
   * @param closing the maximum duration of {@link #close}
   * @throws NoThreadsException if the machine cannot provide so many threads
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
   * {@inheritDoc} Failed work is run again after growing pauses until it returns: much of it plans
   * the next check of something, which would otherwise never happen.
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
   * Lets the timer thread poll as long as timers are set. Otherwise, each timer that becomes the
   * next to expire would wake the thread. Most timers do, because they are the only one, and they
   * are cancelled long before they expire.
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

  /** The maximum delay that a timer of the JDK supports. */
  static long nanos(Duration delay) {
    return (delay.compareTo(LONGEST) < 0 ? delay : LONGEST).toNanos();
  }

  private void handOver(Due due) {
    try {
      workers.execute(due);
    } catch (RejectedExecutionException closed) {
      // The scheduler was closed since: timers are discarded.
    } catch (RuntimeException | Error refused) {
      // The workers could not accept it because memory is exhausted.
      due.run();
    }
  }

  /** Work that runs when its timer expires, and again for as long as it throws. */
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

    /** Plans the work again; returns false if memory is exhausted. */
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

  /** Runs the work and logs an exception. Returns whether it completed normally. */
  static boolean run(Runnable work) {
    try {
      work.run();
      return true;
    } catch (Throwable failed) {
      // Also for an Error: the thread serves all volumes.
      Failures.log(LOGGER, "A task of the volume manager failed. Report this.", failed);
      return false;
    }
  }

  /**
   * Lets scheduled work finish within the time limit, then interrupts the rest. Closing again has
   * no effect.
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
