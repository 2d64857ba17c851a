package io.csi4j.client.internal;

import io.csi4j.client.model.CsiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Lets a thread wait for a result. */
public final class BlockingWait {

  private BlockingWait() {}

  /**
   * Returns the result, or throws its failure as if it had occurred in the calling thread. If the
   * thread is interrupted, this method runs {@code onInterrupt}, which must complete the result.
   * The interrupt flag stays set.
   */
  public static <R extends @Nullable Object> R on(
      CompletableFuture<R> result, Runnable onInterrupt) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result.get();
        } catch (InterruptedException e) {
          interrupted = true;
          onInterrupt.run();
        }
      }
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException rethrown(@Nullable Throwable cause) {
    if (cause instanceof CsiException failure) {
      // The exception was created on another thread, but its stack trace must show the caller.
      failure.setStackTrace(new Throwable().getStackTrace());
      return failure;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException unchecked
        ? unchecked
        : new IllegalStateException(cause);
  }
}
