package io.csi4j.testkit.internal.scenario;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads on which an orchestrator is asked for things, so that it cannot hang the suite. */
final class Workers implements AutoCloseable {

  private final ExecutorService threads;
  private final Duration patience;

  Workers(Duration patience) {
    AtomicInteger count = new AtomicInteger();
    this.patience = patience;
    this.threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "csi4j-scenario-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Begins to ask. */
  <T> Future<T> begin(Callable<T> request) {
    return threads.submit(request);
  }

  /** Waits for the answer to {@code what}. */
  <T> Attempt<T> answer(String what, Future<T> asked) throws Stuck, InterruptedException {
    try {
      return Attempt.done(asked.get(patience.toNanos(), TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      return Attempt.failed(e.getCause());
    } catch (TimeoutException e) {
      throw new Stuck(
          what + " did not come back within " + patience + ". Look where its thread waits.");
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
