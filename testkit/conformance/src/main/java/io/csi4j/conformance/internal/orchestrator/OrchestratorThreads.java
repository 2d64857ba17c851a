package io.csi4j.conformance.internal.orchestrator;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that make requests to an orchestrator, so that a hanging orchestrator cannot block the
 * suite.
 */
final class OrchestratorThreads implements AutoCloseable {

  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  private final ExecutorService threads;
  private final Duration patience;

  OrchestratorThreads(Duration patience) {
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

  <T> Future<T> begin(Callable<T> request) {
    return threads.submit(request);
  }

  /** Starts an action without a result. */
  Future<Boolean> perform(Action action) {
    return begin(
        () -> {
          action.run();
          return true;
        });
  }

  /** Waits for the result of a request. {@code what} describes the request in messages. */
  <T> OrchestratorReply<T> answer(String what, Future<T> asked) {
    try {
      return OrchestratorReply.done(asked.get(patience.toNanos(), TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      return OrchestratorReply.failed(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StuckException("The run was interrupted.");
    } catch (TimeoutException e) {
      throw new StuckException(
          "%s did not return within %s ms. Check where its thread waits."
              .formatted(what, patience.toMillis()));
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
