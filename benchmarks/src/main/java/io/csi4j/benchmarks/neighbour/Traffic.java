package io.csi4j.benchmarks.neighbour;

import io.csi4j.benchmarks.Callers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/** Callers that each mount and unmount their own volume, with the duration of each operation. */
final class Traffic {

  private static final int CALLERS_EACH = 2;

  private final int plugins;
  private final int callers;
  private final long windowMillis;
  private final Duration pace;

  /**
   * Creates callers for each of the first {@code plugins} plugins of a manager, measured in windows
   * of this length.
   */
  Traffic(int plugins, long windowMillis) {
    this(plugins, windowMillis, Duration.ZERO);
  }

  /**
   * Creates callers that begin an operation at this interval, or as soon as possible if they are
   * late.
   */
  Traffic(int plugins, long windowMillis, Duration pace) {
    this(plugins, plugins * CALLERS_EACH, windowMillis, pace);
  }

  /** Creates this number of callers, distributed among the plugins. */
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
   * @param median the median duration in nanoseconds
   * @param p99 the 99th percentile of the durations in nanoseconds
   * @param count the number of mounts with their unmounts
   */
  record Window(double median, double p99, int count) {}

  /** Measures one window. */
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

  /** Waits until this time, if it is in the future, and returns the time of the next operation. */
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
