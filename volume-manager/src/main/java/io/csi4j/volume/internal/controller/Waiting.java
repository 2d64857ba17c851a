package io.csi4j.volume.internal.controller;

import io.csi4j.volume.controller.ControllerException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for the steps of an operation, on a thread that is there for it. */
final class Waiting {

  private Waiting() {}

  /**
   * What comes of a step.
   *
   * @throws ControllerException if it failed
   */
  static <T> T on(CompletableFuture<T> step) {
    try {
      return step.join();
    } catch (CompletionException failed) {
      if (Failures.unwrap(failed) instanceof ControllerException known) {
        throw known;
      }
      throw failed;
    }
  }
}
