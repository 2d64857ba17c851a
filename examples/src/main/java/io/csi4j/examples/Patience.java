package io.csi4j.examples;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The time that the quickstart waits before it fails: a minute, or longer on a slow machine, such
 * as an emulated machine.
 *
 * @param limit the time
 */
record Patience(Duration limit) {

  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

  private static final Duration LEAST = Duration.ofMinutes(1);

  /** The limit as a number of JVM starts. A start usually takes a fraction of a second. */
  private static final int STARTS = 60;

  /** Measures the speed of the machine by the time since {@code process} was started. */
  static Patience since(ProcessHandle process) {
    return process
        .info()
        .startInstant()
        .map(begun -> forStarts(Duration.between(begun, Instant.now())))
        .orElseGet(() -> new Patience(LEAST));
  }

  /** Returns the patience for a machine on which a JVM takes this time to start. */
  static Patience forStarts(Duration start) {
    Duration grown = start.multipliedBy(STARTS);
    return new Patience(grown.compareTo(LEAST) > 0 ? grown : LEAST);
  }

  /** Waits for the next event. */
  <T> T next(BlockingQueue<T> events) {
    try {
      T event = events.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (event == null) {
        throw new IllegalStateException(
            "Nothing was heard of the plugin for " + limit.toSeconds() + " s.");
      }
      return event;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for the plugin.", e);
    }
  }

  /** Waits until the work is complete, and returns its result. */
  <T> T get(CompletableFuture<T> work) {
    try {
      return work.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("There was no answer for " + limit.toSeconds() + " s.", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new IllegalStateException((cause == null ? e : cause).getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for an answer.", e);
    }
  }

  /**
   * Waits until a condition holds.
   *
   * @param what the condition, as a clause for the failure
   */
  void until(BooleanSupplier isSo, String what) {
    long begun = System.nanoTime();
    while (!isSo.getAsBoolean()) {
      if (System.nanoTime() - begun > limit.toNanos()) {
        throw new IllegalStateException("For " + limit.toSeconds() + " s it was not so: " + what);
      }
      LockSupport.parkNanos(TICK);
    }
  }
}
