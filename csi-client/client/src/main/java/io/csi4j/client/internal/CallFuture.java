package io.csi4j.client.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The future result of a call. Cancelling it cancels the call. */
public final class CallFuture<R extends @Nullable Object> extends CompletableFuture<R> {

  private final Runnable onCancel;

  /** A result that runs {@code onCancel} when it is cancelled. */
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

  /** Dependent stages are plain futures: cancelling them does not cancel the call. */
  @Override
  public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }
}
