package io.csi4j.volume.internal.time;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread that is there only while something is to be done or waited for, and some
 * seconds longer. Needs no closing.
 */
public final class IdleScheduler implements Scheduler {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final ScheduledThreadPoolExecutor thread;

  /**
   * No thread yet.
   *
   * @param name what its name begins with
   */
  public IdleScheduler(String name) {
    thread = new ScheduledThreadPoolExecutor(1, new NamedThreads(name));
    thread.setRemoveOnCancelPolicy(true);
    thread.setKeepAliveTime(2, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable work) {
    thread.execute(() -> run(work));
  }

  @Override
  public Timer after(Duration delay, Runnable work) {
    Duration bounded = delay.compareTo(LONGEST) < 0 ? delay : LONGEST;
    ScheduledFuture<?> due =
        thread.schedule(() -> run(work), bounded.toNanos(), TimeUnit.NANOSECONDS);
    return () -> due.cancel(false);
  }

  private static void run(Runnable work) {
    try {
      work.run();
    } catch (Throwable failed) {
      LOGGER.log(Level.ERROR, "Work for plugins failed. Report this.", failed);
    }
  }
}
