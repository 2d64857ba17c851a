package io.csi4j.volume.controller;

import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Runs operations, each on a thread of its own once it is its turn, one at a time for each volume.
 * A caller may cease to wait; the operation goes on.
 */
final class ControllerOperations {

  private final OperationTurns<VolumeKey> turns;
  private final Executor threads;

  ControllerOperations(OperationTurns<VolumeKey> turns, Executor threads) {
    this.turns = turns;
    this.threads = threads;
  }

  /** Runs it when no other runs for these volumes. */
  <T> CompletableFuture<T> run(Collection<VolumeKey> keys, Subject subject, Supplier<T> work) {
    SortedSet<VolumeKey> needed = new TreeSet<>(keys);
    return turns.take(
        needed,
        subject,
        (leave, result) -> {
          try {
            threads.execute(() -> run(subject, work, leave, result));
          } catch (RejectedExecutionException closed) {
            leave.run();
            result.completeExceptionally(
                ControllerFailures.unavailable(OperatorCode.ENGINE_CLOSED, subject, ""));
          }
        });
  }

  private static <T> void run(
      Subject subject, Supplier<T> work, Runnable leave, CompletableFuture<T> result) {
    T value;
    try {
      value = work.get();
    } catch (ControllerException failed) {
      leave.run();
      result.completeExceptionally(failed);
      return;
    } catch (RuntimeException | Error unexpected) {
      leave.run();
      result.completeExceptionally(
          ControllerFailures.failed(
              Outcome.UNCERTAIN,
              OperatorCode.STEP_FAILED,
              subject,
              String.valueOf(unexpected),
              unexpected));
      return;
    }
    leave.run();
    result.complete(value);
  }

  /** Waits for one. An interrupt ends the waiting, and takes it out of the line if it waits. */
  static <T> T await(Subject subject, CompletableFuture<T> operation) {
    try {
      return operation.get();
    } catch (InterruptedException e) {
      operation.cancel(true);
      Thread.currentThread().interrupt();
      throw ControllerFailures.failed(
          Outcome.UNCERTAIN,
          OperatorCode.CONTROLLER_CALL_CANCELLED,
          subject,
          "the thread that waited was interrupted",
          e);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof ControllerException known) {
        throw known;
      }
      throw new IllegalStateException(failed.getCause());
    }
  }
}
