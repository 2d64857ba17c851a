package io.csi4j.volume.controller;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one at a time have each lane; the others wait in the order in which they came, without a
 * thread.
 *
 * @param <K> what a lane is known by
 */
final class VolumeLanes<K extends Comparable<K>> {

  private final int waiters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, ArrayDeque<Ticket>> queues = new HashMap<>();

  /**
   * All free.
   *
   * @param waiters how many may wait for one lane
   */
  VolumeLanes(int waiters) {
    this.waiters = waiters;
  }

  /** The place of one who waits, or has all that he waited for. */
  final class Ticket {

    private final List<K> lanes;
    private final Runnable turn;
    private int held;
    private boolean left;

    private Ticket(SortedSet<K> lanes, Runnable turn) {
      this.lanes = List.copyOf(lanes);
      this.turn = turn;
    }

    /** Gives everything back, also a place in a queue. Doing it twice is harmless. */
    void leave() {
      List<Ticket> next = new ArrayList<>();
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
      next.forEach(each -> each.turn.run());
    }

    private void free(K lane, List<Ticket> next) {
      ArrayDeque<Ticket> queue = queues.get(lane);
      if (queue == null) {
        return;
      }
      boolean hadIt = isFirst(queue);
      queue.remove(this);
      Ticket first = queue.peek();
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
        ArrayDeque<Ticket> queue =
            queues.computeIfAbsent(lanes.get(held), none -> new ArrayDeque<>());
        queue.add(this);
        if (!isFirst(queue)) {
          return false;
        }
        held++;
      }
      return true;
    }

    @SuppressWarnings("ReferenceEquality") // a ticket is itself and no other
    private boolean isFirst(ArrayDeque<Ticket> queue) {
      return queue.peek() == this;
    }
  }

  /**
   * Runs {@code turn} once all lanes are had, here or where the last one is given back. It must not
   * block or throw, and its ticket has to be given back.
   *
   * @return the place; nothing if too many wait already
   */
  Optional<Ticket> enter(SortedSet<K> lanes, Runnable turn) {
    Ticket ticket = new Ticket(lanes, turn);
    boolean isThrough;
    lock.lock();
    try {
      if (lanes.stream().anyMatch(this::isFull)) {
        return Optional.empty();
      }
      isThrough = ticket.advance();
    } finally {
      lock.unlock();
    }
    if (isThrough) {
      turn.run();
    }
    return Optional.of(ticket);
  }

  private boolean isFull(K lane) {
    ArrayDeque<Ticket> queue = queues.get(lane);
    return queue != null && queue.size() > waiters;
  }

  /** Returns how many lanes are taken. */
  int taken() {
    lock.lock();
    try {
      return queues.size();
    } finally {
      lock.unlock();
    }
  }
}
