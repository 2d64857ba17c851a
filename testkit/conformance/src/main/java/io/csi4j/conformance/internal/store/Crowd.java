package io.csi4j.conformance.internal.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Runs several callers concurrently, each on its own thread. All callers start at the same moment.
 */
final class Crowd {

  private Crowd() {}

  /** Runs {@code count} callers. {@code callers} creates each caller from its number. */
  static <T> List<T> atOnce(Duration patience, int count, IntFunction<Callable<T>> callers)
      throws Exception {
    return atOnce(patience, IntStream.range(0, count).mapToObj(callers).toList());
  }

  /**
   * Runs the callers, and returns the result of each. Fails with the first failure, or if a caller
   * does not return in time.
   */
  static <T> List<T> atOnce(Duration patience, List<? extends Callable<T>> callers)
      throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    List<FutureTask<T>> tasks = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Callable<T> caller : callers) {
      FutureTask<T> task =
          new FutureTask<>(
              () -> {
                start.await();
                return caller.call();
              });
      tasks.add(task);
      threads.add(started(task));
    }
    start.countDown();
    try {
      List<T> results = new ArrayList<>();
      for (FutureTask<T> task : tasks) {
        results.add(result(task, patience));
      }
      return results;
    } finally {
      threads.forEach(Thread::interrupt);
    }
  }

  /** Returns a started daemon thread that runs the task. */
  static Thread started(Runnable work) {
    Thread thread = new Thread(work, "csi4j-volume-store-check");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static <T> T result(FutureTask<T> task, Duration patience) throws Exception {
    try {
      return task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("A caller did not return within " + patience.toMillis() + " ms.", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError failed) {
        throw failed;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
