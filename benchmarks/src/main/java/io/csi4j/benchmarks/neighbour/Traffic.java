package io.csi4j.benchmarks.neighbour;

import io.csi4j.benchmarks.Callers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/** Callers that each mount and unmount their own volume, and the duration of each time. */
final class Traffic {

  private static final int CALLERS_EACH = 2;

  private final int plugins;
  private final int callers;
  private final long windowMillis;
  private final Duration pace;

  /**
   * Some callers on each of the first so many plugins of a manager, watched for so long at a time.
   */
  Traffic(int plugins, long windowMillis) {
    this(plugins, windowMillis, Duration.ZERO);
  }

  /** Callers that begin at this rate, or as soon as possible if they are late. */
  Traffic(int plugins, long windowMillis, Duration pace) {
    this(plugins, plugins * CALLERS_EACH, windowMillis, pace);
  }

  /** This number of callers, spread over the plugins. */
  Traffic(int plugins, int callers, long windowMillis, Duration pace) {
    this.plugins = plugins;
    this.callers = callers;
    this.windowMillis = windowMillis;
    this.pace = pace;
  }

  int callers() {
    return callers;
  }

  /**
   * The figures of one window.
   *
   * @param median nanoseconds that half of the times took at most
   * @param p99 nanoseconds that all but a hundredth took at most
   * @param count how often something was mounted and unmounted
   */
  record Window(double median, double p99, int count) {}

  /** Watches one window. */
  Window in(ManagerOfPlugins manager) throws InterruptedException, ExecutionException {
    List<List<Long>> took = new ArrayList<>();
    for (int caller = 0; caller < callers(); caller++) {
      took.add(new ArrayList<>());
    }
    long[] due = new long[callers()];
    Arrays.fill(due, System.nanoTime());
    double each =
        new Callers(callers(), windowMillis)
            .nanosEach(
                caller -> {
                  due[caller] = awaited(due[caller]);
                  long begun = System.nanoTime();
                  int turn = took.get(caller).size();
                  manager.mountAndUnmount((caller + turn * callers) % plugins, "busy-" + caller);
                  took.get(caller).add(System.nanoTime() - begun);
                });
    double[] sorted =
        took.stream().flatMap(List::stream).mapToDouble(Long::doubleValue).sorted().toArray();
    if (sorted.length == 0 || each <= 0) {
      throw new IllegalStateException("Nothing was mounted: " + Arrays.toString(sorted));
    }
    return new Window(at(sorted, 0.5), at(sorted, 0.99), sorted.length);
  }

  /** Waits for this moment, if it is to come; returns when the next one is. */
  private long awaited(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    return Math.max(due, System.nanoTime() - pace.toNanos()) + pace.toNanos();
  }

  private static double at(double[] sorted, double share) {
    return sorted[(int) Math.min(sorted.length - 1L, Math.round(share * sorted.length))];
  }
}
