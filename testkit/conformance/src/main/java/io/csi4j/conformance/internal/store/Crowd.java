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

/** Callers that come at the same moment, each on a thread of its own. */
final class Crowd {

  private Crowd() {}

  /** As many callers as are asked for, made from their numbers. */
  static <T> List<T> atOnce(Duration patience, int count, IntFunction<Callable<T>> callers)
      throws Exception {
    return atOnce(patience, IntStream.range(0, count).mapToObj(callers).toList());
  }

  /**
   * Returns what each of them got; fails with the first that failed, or if one does not come back.
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

  /** A thread that is at it, and keeps no process alive. */
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
      throw new AssertionError(
          "A caller did not come back within " + patience.toMillis() + " ms.", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError failed) {
        throw failed;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
