package io.csi4j.benchmarks.scale;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The durations of single operations in one window. */
final class Latencies {

  /** The durations in nanoseconds, in ascending order. */
  private final long[] sorted;

  /** The length of the window. */
  private final long nanos;

  private Latencies(long[] sorted, long nanos) {
    this.sorted = sorted;
    this.nanos = nanos;
  }

  /** The operation that each caller repeats. */
  interface Work {
    void doNext() throws Exception;
  }

  /**
   * Lets callers repeat the work for a time. Each caller performs one operation after the other.
   *
   * @param most the number of operations after which the window ends earlier
   */
  static Latencies of(int callers, long millis, int most, Work work)
      throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      CountDownLatch isOver = new CountDownLatch(1);
      AtomicInteger left = new AtomicInteger(most);
      List<Future<long[]>> running = new ArrayList<>();
      long begun = System.nanoTime();
      for (int i = 0; i < callers; i++) {
        running.add(threads.submit(() -> times(isOver, left, work)));
      }
      var unused = isOver.await(millis, TimeUnit.MILLISECONDS);
      isOver.countDown();
      long[] all = new long[0];
      for (Future<long[]> each : running) {
        long[] times = each.get();
        int before = all.length;
        all = Arrays.copyOf(all, before + times.length);
        System.arraycopy(times, 0, all, before, times.length);
      }
      long nanos = System.nanoTime() - begun;
      Arrays.sort(all);
      return new Latencies(all, nanos);
    } finally {
      threads.shutdownNow();
    }
  }

  private static long[] times(CountDownLatch isOver, AtomicInteger left, Work work)
      throws Exception {
    long[] times = new long[1024];
    int count = 0;
    while (isOver.getCount() > 0) {
      if (left.getAndDecrement() <= 0) {
        isOver.countDown();
        break;
      }
      long begun = System.nanoTime();
      work.doNext();
      times = count == times.length ? Arrays.copyOf(times, 2 * count) : times;
      times[count++] = System.nanoTime() - begun;
    }
    return Arrays.copyOf(times, count);
  }

  double percentile(int percent) {
    return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
  }

  /** Returns the length of the window divided by the number of operations, in nanoseconds. */
  double nanosEach() {
    return (double) nanos / sorted.length;
  }
}
