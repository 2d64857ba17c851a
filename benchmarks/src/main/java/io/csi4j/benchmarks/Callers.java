package io.csi4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Callers that do one thing again and again, each for itself, and how long they take for one. */
public final class Callers {

  /** The operation that a caller repeats. */
  public interface Work {
    /** Does it once, for the caller with this number. */
    void doOnce(int caller) throws Exception;
  }

  private final int count;
  private final long windowMillis;

  /** The number of callers, and the length of each observation. */
  public Callers(int count, long windowMillis) {
    this.count = count;
    this.windowMillis = windowMillis;
  }

  /** The nanoseconds that all of them together take for one, over one window. */
  public double nanosEach(Work work) throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      CountDownLatch start = new CountDownLatch(1);
      AtomicBoolean over = new AtomicBoolean();
      List<Future<Long>> running = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int caller = i;
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  long done = 0;
                  while (!over.get()) {
                    work.doOnce(caller);
                    done++;
                  }
                  return done;
                }));
      }
      long begin = System.nanoTime();
      start.countDown();
      TimeUnit.MILLISECONDS.sleep(windowMillis);
      over.set(true);
      long done = 0;
      for (Future<Long> each : running) {
        done += each.get();
      }
      return (System.nanoTime() - begin) / (double) Math.max(1, done);
    } finally {
      threads.shutdownNow();
    }
  }
}
