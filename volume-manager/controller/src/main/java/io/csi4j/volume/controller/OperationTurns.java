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
 * Gives turns to work in the order in which it arrived. A waiter fails if it waits too long or if
 * too many are waiting; cancelling it frees its place.
 *
 * @param <K> the type of the keys that identify lanes
 */
final class OperationTurns<K extends Comparable<K>> {

  private final int waiters;
  private final Duration longest;
  private final Scheduler timers;
  private final Turns<K> turns;

  /**
   * Creates turns without waiters.
   *
   * @param waiters the maximum number of waiters for one turn
   * @param longest the maximum time to wait
   */
  OperationTurns(int waiters, Duration longest, Scheduler timers) {
    this.waiters = waiters;
    this.longest = longest;
    this.timers = timers;
    turns = new Turns<>(waiters);
  }

  /**
   * Begins work when its turn comes, on this thread or on the thread that returns the turn. The
   * work is passed the action that returns the turn and the future to complete; it must use both,
   * and must not block or throw.
   *
   * @return the future that the work completes; cancelling it before the turn has come ends the
   *     wait
   */
  <T> CompletableFuture<T> take(
      SortedSet<K> needed, Subject subject, BiConsumer<Runnable, CompletableFuture<T>> work) {
    Optional<CompletableFuture<Turns.Turn>> place = turns.take(needed);
    if (place.isEmpty()) {
      return CompletableFuture.failedFuture(
          busy(subject, waiters + " operations already wait for it"));
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

  /** Number of turns that are taken. */
  int taken() {
    return turns.taken();
  }
}
