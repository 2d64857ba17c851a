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

/**
 * Concurrent callers that repeat an operation independently, and the time that the operation takes.
 */
public final class Callers {

  /** The operation that a caller repeats. */
  public interface Work {
    /** Performs the operation once, for the caller with this number. */
    void doOnce(int caller) throws Exception;
  }

  private final int count;
  private final long windowMillis;

  /** Creates callers, which are measured in windows of this length. */
  public Callers(int count, long windowMillis) {
    this.count = count;
    this.windowMillis = windowMillis;
  }

  /**
   * Runs all callers for one window, and returns the length of the window divided by the number of
   * completed operations, in nanoseconds.
   */
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
