package io.csi4j.volume.controller;

import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Lets work begin when it is its turn. Who waits for too long, or finds too many waiting, is told
 * so; who cancels frees his place.
 *
 * @param <K> what is waited for
 */
final class OperationTurns<K extends Comparable<K>> {

  private final VolumeLanes<K> lanes;
  private final int waiters;
  private final Duration longest;
  private final Scheduler timers;

  /**
   * Turns without waiters.
   *
   * @param waiters how many may wait for one turn
   * @param longest how long they do
   */
  OperationTurns(int waiters, Duration longest, Scheduler timers) {
    this.lanes = new VolumeLanes<>(waiters);
    this.waiters = waiters;
    this.longest = longest;
    this.timers = timers;
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
    CompletableFuture<T> result = new CompletableFuture<>();
    CompletableFuture<VolumeLanes<K>.Ticket> turn = new CompletableFuture<>();
    turn.whenComplete(
        (ticket, thrown) -> {
          if (thrown == null) {
            work.accept(ticket::leave, result);
          } else {
            result.completeExceptionally(thrown);
          }
        });
    line(needed, subject, turn);
    result.whenComplete(
        (value, thrown) -> {
          if (result.isCancelled()) {
            turn.cancel(false);
          }
        });
    return result;
  }

  private void line(
      SortedSet<K> needed, Subject subject, CompletableFuture<VolumeLanes<K>.Ticket> turn) {
    // The turn may come before its place is told, and is then taken when it is.
    CompletableFuture<VolumeLanes<K>.Ticket> place = new CompletableFuture<>();
    lanes
        .enter(needed, () -> place.thenAccept(ticket -> come(ticket, turn)))
        .ifPresentOrElse(
            place::complete,
            () ->
                turn.completeExceptionally(
                    ControllerFailures.unavailable(
                        OperatorCode.CONTROLLER_BUSY,
                        subject,
                        waiters + " wait for the same already")));
    if (turn.isDone()) {
      return;
    }
    Scheduler.Timer timer =
        timers.after(
            longest,
            () ->
                turn.completeExceptionally(
                    ControllerFailures.unavailable(
                        OperatorCode.CONTROLLER_BUSY,
                        subject,
                        "it was not its turn within " + longest.toSeconds() + " s")));
    turn.whenComplete(
        (ticket, thrown) -> {
          timer.cancel();
          if (thrown != null) {
            place.thenAccept(VolumeLanes.Ticket::leave);
          }
        });
  }

  private static <K extends Comparable<K>> void come(
      VolumeLanes<K>.Ticket ticket, CompletableFuture<VolumeLanes<K>.Ticket> turn) {
    if (!turn.complete(ticket)) {
      ticket.leave();
    }
  }

  /** How many turns are taken. */
  int taken() {
    return lanes.taken();
  }
}
