package io.csi4j.volume.controller;

import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Lets work begin when it is its turn, in the order in which it came. A waiter fails when it waits
 * for too long or finds too many waiting; cancelling it frees its place.
 *
 * @param <K> what a lane is known by
 */
final class OperationTurns<K extends Comparable<K>> {

  private final int waiters;
  private final Duration longest;
  private final Scheduler timers;
  private final Turns<K> turns;

  /**
   * Turns without waiters.
   *
   * @param waiters how many may wait for one turn
   * @param longest how long they do
   */
  OperationTurns(int waiters, Duration longest, Scheduler timers) {
    this.waiters = waiters;
    this.longest = longest;
    this.timers = timers;
    turns = new Turns<>(waiters);
  }

  /**
   * Begins work when it is its turn, here or on the thread that gives the turn back. It is handed
   * what gives the turn back, and what to complete; it has to see to both, and must not block or
   * throw.
   *
   * @return what it completes; cancelling it before the turn has come ends the waiting
   */
  <T> CompletableFuture<T> take(
      SortedSet<K> needed, Subject subject, BiConsumer<Runnable, CompletableFuture<T>> work) {
    Optional<CompletableFuture<Turns.Turn>> place = turns.take(needed);
    if (place.isEmpty()) {
      return CompletableFuture.failedFuture(busy(subject, waiters + " wait for the same already"));
    }
    CompletableFuture<Turns.Turn> turn = place.get();
    if (!turn.isDone()) {
      Scheduler.Timer timer =
          timers.after(
              longest,
              () ->
                  turn.completeExceptionally(
                      busy(subject, "it was not its turn within " + longest.toSeconds() + " s")));
      turn.whenComplete((had, thrown) -> timer.cancel());
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    turn.whenComplete(
        (had, thrown) -> {
          if (thrown == null) {
            work.accept(had::end, result);
          } else {
            result.completeExceptionally(thrown);
          }
        });
    result.whenComplete(
        (value, thrown) -> {
          if (result.isCancelled()) {
            turn.cancel(false);
          }
        });
    return result;
  }

  private static ControllerException busy(Subject subject, String seen) {
    return ControllerFailures.unavailable(OperatorCode.CONTROLLER_BUSY, subject, seen);
  }

  /** How many turns are taken. */
  int taken() {
    return turns.taken();
  }
}
