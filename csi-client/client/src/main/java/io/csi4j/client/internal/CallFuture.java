package io.csi4j.client.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The result of a call to come. Cancelling it cancels the call. */
public final class CallFuture<R extends @Nullable Object> extends CompletableFuture<R> {

  private final Runnable onCancel;

  /** A result whose cancelling runs {@code onCancel}. */
  public CallFuture(Runnable onCancel) {
    this.onCancel = onCancel;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      onCancel.run();
    }
    return cancelled;
  }

  /** Stages that hang on this one are plain: cancelling them does not reach the call. */
  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }
}
