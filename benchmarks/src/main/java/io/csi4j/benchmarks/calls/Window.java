package io.csi4j.benchmarks.calls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A period of time in which a constant number of calls is kept in flight, and its results. Each
 * {@code Line} keeps one call in flight.
 */
final class Window {

  /**
   * Number of durations that each line keeps; a power of two. If there are more, only the last
   * durations are kept.
   */
  private static final int KEPT = 1 << 14;

  private static final long PATIENCE_SECONDS = 30;

  private final Caller caller;
  private final Operation operation;
  private final List<Line> lines = new ArrayList<>();
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch end;
  private final CountDownLatch seen = new CountDownLatch(1);
  private final long length;
  private volatile long until;
  private volatile @Nullable Throwable failure;

  /** The figures of a window, for one call. */
  record Result(double nanos, double median, double bytes) {}

  private Window(Caller caller, Cell cell, long length) {
    this.caller = caller;
    this.operation = cell.operation();
    this.length = length;
    this.end = new CountDownLatch(cell.inFlight());
    for (int i = 0; i < cell.inFlight(); i++) {
      lines.add(new Line());
    }
  }

  /** Makes the calls of this cell for {@code length} nanoseconds. */
  static Result of(Caller caller, Cell cell, long length) throws InterruptedException {
    Window window = new Window(caller, cell, length);
    if (cell.style() == Cell.Style.BLOCKING) {
      window.startThreads();
    }
    Allocations before = Allocations.now();
    long begin = System.nanoTime();
    window.until = begin + length;
    window.start.countDown();
    if (cell.style() == Cell.Style.ASYNC) {
      window.lines.forEach(Line::next);
    }
    window.await();
    long nanos = System.nanoTime() - begin;
    long bytes = Allocations.now().since(before);
    window.seen.countDown();
    return window.result(nanos, bytes);
  }

  private void startThreads() {
    for (Line line : lines) {
      Thread thread = new Thread(line::block, "benchmark-line");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void await() throws InterruptedException {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(length) + PATIENCE_SECONDS;
    if (!end.await(seconds, TimeUnit.SECONDS)) {
      throw new IllegalStateException("a call does not end");
    }
    Throwable thrown = failure;
    if (thrown != null) {
      throw new IllegalStateException("a call failed", thrown);
    }
  }

  private Result result(long nanos, long bytes) {
    double calls = lines.stream().mapToLong(line -> line.count).sum();
    long[] all =
        lines.stream().flatMapToLong(line -> Arrays.stream(line.kept())).sorted().toArray();
    return new Result(nanos / calls, all[all.length / 2], bytes / calls);
  }

  /** Makes one call after the other. */
  private final class Line {
    private final long[] latencies = new long[KEPT];
    private int count;
    private long began;

    /** Makes blocking calls until the time is over. */
    void block() {
      try {
        start.await();
        do {
          began = System.nanoTime();
          caller.call(operation);
        } while (isNoted());
      } catch (Throwable e) {
        failure = e;
      }
      end.countDown();
      try {
        // Threads must not end before the allocated bytes are read, because the JVM does not report
        // them for ended threads.
        seen.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void next() {
      began = System.nanoTime();
      caller.begin(operation, this::ended);
    }

    private void ended(@Nullable Throwable thrown) {
      if (thrown != null) {
        failure = thrown;
        end.countDown();
      } else if (isNoted()) {
        next();
      } else {
        end.countDown();
      }
    }

    /** Records the duration of the call. Returns false if there is no time for another call. */
    private boolean isNoted() {
      long now = System.nanoTime();
      latencies[count++ & (KEPT - 1)] = now - began;
      return now - until < 0;
    }

    long[] kept() {
      return Arrays.copyOf(latencies, Math.min(count, KEPT));
    }
  }
}
