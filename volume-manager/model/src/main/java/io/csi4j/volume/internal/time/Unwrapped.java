package io.csi4j.volume.internal.time;

import java.util.concurrent.CompletionException;

/** Removes the wrapper exceptions that completion stages add to a failure. */
public final class Unwrapped {

  private Unwrapped() {}

  /** Returns the failure without the wrapper exceptions. */
  public static Throwable of(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
