package io.csi4j.client.internal;

import io.csi4j.client.model.CsiException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** How a thread waits for a result. */
public final class BlockingWait {

  private BlockingWait() {}

  /**
   * The result, or its failure as if it had happened here. An interrupt runs {@code onInterrupt},
   * which has to complete the result, and leaves the flag set.
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
      // It was made on another thread; what matters to the reader is who called.
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
