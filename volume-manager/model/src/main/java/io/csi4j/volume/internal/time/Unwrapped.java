package io.csi4j.volume.internal.time;

import java.util.concurrent.CompletionException;

/** Unwraps the exceptions that completion stages add. */
public final class Unwrapped {

  private Unwrapped() {}

  /** Returns the original failure. */
  public static Throwable of(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
