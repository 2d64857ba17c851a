package io.csi4j.volume.controller;

import io.csi4j.volume.internal.time.Unwrapped;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for the steps of an operation, on a thread that is there for it. */
final class StepWait {

  private StepWait() {}

  /**
   * Returns the result of a step.
   *
   * @throws ControllerException if it failed
   */
  static <T> T on(CompletableFuture<T> step) {
    try {
      return step.join();
    } catch (CompletionException failed) {
      if (Unwrapped.of(failed) instanceof ControllerException known) {
        throw known;
      }
      throw failed;
    }
  }
}
