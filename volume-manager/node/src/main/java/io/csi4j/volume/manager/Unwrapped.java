package io.csi4j.volume.manager;

import java.util.concurrent.CompletionException;

/** The failure of a stage without what stages wrap around it. */
final class Unwrapped {

  private Unwrapped() {}

  static Throwable of(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
