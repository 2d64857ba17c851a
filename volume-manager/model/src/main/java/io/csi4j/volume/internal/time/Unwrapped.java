package io.csi4j.volume.internal.time;

import java.util.concurrent.CompletionException;

/** The failure of a stage without what stages wrap around it. */
public final class Unwrapped {

  private Unwrapped() {}

  /** Returns the failure that was meant. */
  public static Throwable of(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
