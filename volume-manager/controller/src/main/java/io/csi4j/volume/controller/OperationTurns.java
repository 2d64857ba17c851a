package io.csi4j.volume.controller;

import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * Lets work begin when it is its turn: one at a time has each lane, and the others wait in the
 * order in which they came, without a thread. A waiter fails when it waits for too long or finds
 * too many waiting; cancelling it frees its place.
 *
 * @param <K> what a lane is known by
 */
final class OperationTurns<K extends Comparable<K>> {

  private final int waiters;
  private final Duration longest;
  private final Scheduler timers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, ArrayDeque<Place>> queues = new HashMap<>();

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
    CompletableFuture<Place> turn = new CompletableFuture<>();
    turn.whenComplete(
        (place, thrown) -> {
          if (thrown == null) {
            work.accept(place::leave, result);
          } else {
            result.completeExceptionally(thrown);
          }
        });
    line(new Place(needed, turn), subject);
    result.whenComplete(
        (value, thrown) -> {
          if (result.isCancelled()) {
            turn.cancel(false);
          }
        });
    return result;
  }

  private void line(Place place, Subject subject) {
    if (!isEntered(place)) {
      place.turn.completeExceptionally(busy(subject, waiters + " wait for the same already"));
    }
    if (place.turn.isDone()) {
      return;
    }
    Scheduler.Timer timer =
        timers.after(
            longest,
            () ->
                place.turn.completeExceptionally(
                    busy(subject, "it was not its turn within " + longest.toSeconds() + " s")));
    place.turn.whenComplete(
        (had, thrown) -> {
          timer.cancel();
          if (thrown != null) {
            place.leave();
          }
        });
  }

  private static ControllerException busy(Subject subject, String seen) {
    return ControllerFailures.unavailable(OperatorCode.CONTROLLER_BUSY, subject, seen);
  }

  /** False if too many wait for one of its lanes already. */
  private boolean isEntered(Place place) {
    boolean isThrough;
    lock.lock();
    try {
      if (place.lanes.stream().anyMatch(this::isFull)) {
        return false;
      }
      isThrough = place.advance();
    } finally {
      lock.unlock();
    }
    if (isThrough) {
      place.come();
    }
    return true;
  }

  private boolean isFull(K lane) {
    ArrayDeque<Place> queue = queues.get(lane);
    return queue != null && queue.size() > waiters;
  }

  /** The place of one that waits, or has all that it waited for. */
  private final class Place {

    private final List<K> lanes;
    private final CompletableFuture<Place> turn;
    private int held;
    private boolean left;

    Place(SortedSet<K> lanes, CompletableFuture<Place> turn) {
      this.lanes = List.copyOf(lanes);
      this.turn = turn;
    }

    /** Its turn has come, unless it does not wait any more. */
    private void come() {
      if (!turn.complete(this)) {
        leave();
      }
    }

    /** Gives everything back, also a place in a queue. Doing it twice is harmless. */
    void leave() {
      List<Place> next = new ArrayList<>();
      lock.lock();
      try {
        if (!left) {
          left = true;
          for (K lane : lanes.subList(0, Math.min(held + 1, lanes.size()))) {
            free(lane, next);
          }
        }
      } finally {
        lock.unlock();
      }
      next.forEach(Place::come);
    }

    private void free(K lane, List<Place> next) {
      ArrayDeque<Place> queue = queues.get(lane);
      if (queue == null) {
        return;
      }
      boolean hadIt = isFirst(queue);
      queue.remove(this);
      Place first = queue.peek();
      if (first == null) {
        queues.remove(lane);
      } else if (hadIt) {
        first.held++;
        if (first.advance()) {
          next.add(first);
        }
      }
    }

    /** Takes what is free, up to the first lane that is not; true if that was all. */
    private boolean advance() {
      while (held < lanes.size()) {
        ArrayDeque<Place> queue =
            queues.computeIfAbsent(lanes.get(held), none -> new ArrayDeque<>());
        queue.add(this);
        if (!isFirst(queue)) {
          return false;
        }
        held++;
      }
      return true;
    }

    @SuppressWarnings("ReferenceEquality") // a place is itself and no other
    private boolean isFirst(ArrayDeque<Place> queue) {
      return queue.peek() == this;
    }
  }

  /** How many turns are taken. */
  int taken() {
    lock.lock();
    try {
      return queues.size();
    } finally {
      lock.unlock();
    }
  }
}
