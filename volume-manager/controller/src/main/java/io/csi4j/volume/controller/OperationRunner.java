package io.csi4j.volume.controller;

import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the operations of a controller. Each runs on its own thread once its turn has come, between
 * the reports of its beginning and its end. Dependent actions of an operation run on a thread of
 * the controller, too.
 */
final class OperationRunner {

  private final OperationTurns<VolumeKey> turns;
  private final OperationReports reports;
  private final Executor threads;

  OperationRunner(OperationTurns<VolumeKey> turns, OperationReports reports, Executor threads) {
    this.turns = turns;
    this.reports = reports;
    this.threads = threads;
  }

  /**
   * An operation that has begun or waits for its turn. Cancelling it before its turn removes it
   * from the queue; later, that only ends the wait.
   */
  private static final class Begun<T extends @Nullable Object> extends CompletableFuture<T> {

    private final Subject subject;

    Begun(Subject subject) {
      this.subject = subject;
    }
  }

  /**
   * Begins an operation when no other operation runs for these volumes.
   *
   * @param volume the volume that is reported to listeners
   * @param keys the volumes to lock; empty for an operation that may take long and whose calls
   *     alone have to wait for each other
   * @param ended notified of the end of the work, with its failure if it failed, even if no caller
   *     waits any more
   */
  <T extends @Nullable Object> CompletableFuture<T> begin(
      Operation kind,
      Optional<VolumeKey> volume,
      SortedSet<VolumeKey> keys,
      String doing,
      Supplier<T> work,
      Consumer<Optional<ControllerException>> ended) {
    Subject subject = Subject.of(doing);
    OperationId id = reports.asked();
    Begun<T> begun = new Begun<>(subject);
    CompletableFuture<T> place =
        turns.take(
            keys,
            subject,
            (leave, unused) -> {
              Consumer<Optional<ControllerException>> end =
                  failure -> {
                    leave.run();
                    ended.accept(failure);
                  };
              try {
                threads.execute(() -> run(begun, reports.begin(id, kind, volume), work, end));
              } catch (RejectedExecutionException | OutOfMemoryError refused) {
                // The threads are closed, or the JVM reports that the machine has no more threads.
                leave.run();
                begun.completeExceptionally(ControllerFailures.noThread(subject, "", refused));
              }
            });
    handOver(place, begun);
    return begun;
  }

  /** Begins an operation that waits for no other and leaves no work pending. */
  <T extends @Nullable Object> CompletableFuture<T> begin(
      Operation kind, Optional<VolumeKey> volume, String doing, Supplier<T> work) {
    return begin(kind, volume, Collections.emptySortedSet(), doing, work, failure -> {});
  }

  /** Returns an unreported operation with this answer, for which no thread waits. */
  <T> CompletableFuture<T> asked(Subject subject, CompletableFuture<T> answer) {
    Begun<T> begun = new Begun<>(subject);
    handOver(answer, begun);
    return begun;
  }

  private <T extends @Nullable Object> void handOver(CompletableFuture<T> from, Begun<T> to) {
    from.whenComplete(
        (value, failure) -> {
          if (!to.isDone()) {
            hand(
                () -> {
                  if (failure == null) {
                    to.complete(value);
                  } else {
                    to.completeExceptionally(Unwrapped.of(failure));
                  }
                });
          }
        });
    to.whenComplete(
        (value, failure) -> {
          if (to.isCancelled()) {
            from.cancel(true);
          }
        });
  }

  private void hand(Runnable work) {
    try {
      threads.execute(work);
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      work.run();
    }
  }

  /** Runs the work of an operation between the reports of its beginning and its end. */
  private <T extends @Nullable Object> void run(
      Begun<T> begun,
      OperationReports.Running running,
      Supplier<T> work,
      Consumer<Optional<ControllerException>> end) {
    Runnable result;
    Optional<ControllerException> failure = Optional.empty();
    Optional<OperatorMessage> reported = Optional.empty();
    try {
      T value = work.get();
      result = () -> begun.complete(value);
    } catch (ControllerException failed) {
      failure = Optional.of(failed);
      reported = Optional.of(failed.operatorMessage());
      result = () -> begun.completeExceptionally(failed);
    } catch (RuntimeException | Error thrown) {
      ControllerException failed =
          ControllerFailures.failed(
              ChangeOutcome.UNCERTAIN,
              OperatorCode.STEP_FAILED,
              begun.subject,
              String.valueOf(thrown),
              thrown);
      failure = Optional.of(failed);
      // The text of such an exception may contain anything: only the caller gets it.
      reported =
          Optional.of(
              Messages.of(OperatorCode.STEP_FAILED, begun.subject, thrown.getClass().getName()));
      result = () -> begun.completeExceptionally(failed);
    }
    try {
      running.ended(reported);
      end.accept(failure);
    } finally {
      result.run();
    }
  }

  /** Waits for an operation of this class. */
  static <T extends @Nullable Object> T await(CompletionStage<T> operation) {
    Begun<T> begun = (Begun<T>) operation;
    return await(begun.subject, begun);
  }

  /**
   * Waits for a step. An interrupt ends the wait, and removes an operation that waits for its turn
   * from the queue.
   */
  static <T extends @Nullable Object> T await(Subject subject, CompletableFuture<T> step) {
    try {
      return step.get();
    } catch (InterruptedException e) {
      step.cancel(true);
      Thread.currentThread().interrupt();
      throw ControllerFailures.failed(
          ChangeOutcome.UNCERTAIN,
          OperatorCode.CONTROLLER_CALL_CANCELLED,
          subject,
          "the waiting thread was interrupted",
          e);
    } catch (ExecutionException failed) {
      throw ControllerFailures.of(subject, failed.getCause() == null ? failed : failed.getCause());
    }
  }
}
