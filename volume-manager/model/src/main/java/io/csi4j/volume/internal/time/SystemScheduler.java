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
 * A fixed number of daemon threads, all made at the start, and one more that only watches the time.
 *
 * <p>Work that throws is logged and harms no other. Who hands work over is never waited for, and
 * his interrupt does not reach the work. After closing, new work is refused with a {@link
 * RejectedExecutionException}, and what was to be run later is forgotten.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** The pauses before work is run again that threw. */
  private static final Backoff AGAIN = Backoff.exact(Duration.ofMillis(10), Duration.ofMinutes(1));

  /** While timers are set, the one that watches the time looks so often. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final ThreadPoolExecutor workers;
  private final ScheduledThreadPoolExecutor timer;
  private final Duration closing;

  /** Whether the timer is to look again by itself. */
  private final AtomicBoolean looks = new AtomicBoolean();

  /** Whether a timer was set since it looked. */
  private volatile boolean isAsked;

  /**
   * Starts the threads.
   *
   * @param threads how many work
   * @param name what the names of all threads begin with
   * @param closing how long {@link #close} may take
   * @throws NoThreadsException if the machine does not give so many threads
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
      // How the JVM says that the machine gives no more threads.
      cause = refused;
    }
    int started = threads();
    if (started < threads + 1) {
      timer.shutdownNow();
      workers.shutdownNow();
      throw new NoThreadsException(
          "of " + (threads + 1) + " threads the machine gave " + started, cause);
    }
  }

  /** How many threads there are, the timer's included. */
  public int threads() {
    return workers.getPoolSize() + timer.getPoolSize();
  }

  @Override
  public void execute(Runnable work) {
    workers.execute(() -> run(work));
  }

  /**
   * {@inheritDoc} What throws is run again after growing pauses, until it returns: much of it plans
   * the next look at something, which would never come.
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
   * Has the thread that watches the time look again soon, as long as timers are set. Without that a
   * timer that is the first one to be due wakes the thread; and most are, as they are the only one
   * and are cancelled long before their time.
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

  /** As long as a timer of the JDK can wait. */
  static long nanos(Duration delay) {
    return (delay.compareTo(LONGEST) < 0 ? delay : LONGEST).toNanos();
  }

  private void handOver(Due due) {
    try {
      workers.execute(due);
    } catch (RejectedExecutionException closed) {
      // Closed since: what was to be run later is forgotten.
    } catch (RuntimeException | Error refused) {
      // The workers could not be given it, for want of memory.
      due.run();
    }
  }

  /** Work that is run at its time, and again for as long as it throws. */
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

    /** Plans it again; false if there is no memory for that. */
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

  /** Runs it; what it throws is logged. Returns whether it threw nothing. */
  static boolean run(Runnable work) {
    try {
      work.run();
      return true;
    } catch (Throwable failed) {
      // Even an Error: the thread belongs to all volumes.
      Failures.log(LOGGER, "Work of the volume manager failed. Report this.", failed);
      return false;
    }
  }

  /**
   * Lets the work that was handed over be done, for as long as the limit says, then interrupts what
   * is left. Doing it twice is harmless.
   */
  @Override
  public void close() {
    timer.shutdownNow();
    workers.shutdown();
    try {
      if (!workers.awaitTermination(closing.toNanos(), TimeUnit.NANOSECONDS)) {
        LOGGER.log(
            Level.WARNING,
            "Closing the volume manager: {0} threads still work after {1}, and are interrupted.",
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
