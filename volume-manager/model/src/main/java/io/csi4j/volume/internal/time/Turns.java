package io.csi4j.volume.internal.time;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Mutual exclusion by key. Only one caller at a time has the turn of a key; other callers wait in
 * the order of their requests. A caller can wait asynchronously or block its thread. No lock is
 * held during a turn, and any thread may end it.
 *
 * @param <K> the type of the keys
 */
public final class Turns<K> {

  private final int waiters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, ArrayDeque<Place>> queues = new HashMap<>();

  /** Creates turns with any number of waiters. */
  public Turns() {
    this(Integer.MAX_VALUE);
  }

  /**
   * Creates turns with a limit.
   *
   * @param waiters the maximum number of waiters for one key
   */
  public Turns(int waiters) {
    this.waiters = waiters;
  }

  /** The exclusive turn of one or more keys. */
  @FunctionalInterface
  public interface Turn {

    /**
     * Ends the turn. The future of the next waiter is completed on the current thread. Ending again
     * has no effect.
     */
    void end();
  }

  /**
   * Returns a future for the turn of a key, which is already complete if the turn is free. To stop
   * waiting, cancel the future or complete it exceptionally.
   */
  public CompletableFuture<Turn> take(K key) {
    return take(List.of(key)).orElseThrow();
  }

  /**
   * Returns a future for the turn of all these keys; empty if one of the keys already has the
   * maximum number of waiters.
   */
  public Optional<CompletableFuture<Turn>> take(SortedSet<K> keys) {
    return take(List.copyOf(keys));
  }

  private Optional<CompletableFuture<Turn>> take(List<K> keys) {
    Place place = new Place(keys);
    boolean isThrough;
    lock.lock();
    try {
      if (keys.stream().anyMatch(this::isFull)) {
        return Optional.empty();
      }
      isThrough = place.advance();
    } finally {
      lock.unlock();
    }
    if (isThrough) {
      place.come();
    } else {
      place.turn.whenComplete(
          (had, thrown) -> {
            if (thrown != null) {
              place.end();
            }
          });
    }
    return Optional.of(place.turn);
  }

  /**
   * Waits for the turn of this key, and runs the work during the turn. An interrupt does not end
   * the wait.
   */
  public <T> T during(K key, Supplier<T> work) {
    Turn turn = take(key).join();
    try {
      return work.get();
    } finally {
      turn.end();
    }
  }

  private boolean isFull(K key) {
    ArrayDeque<Place> queue = queues.get(key);
    return queue != null && queue.size() > waiters;
  }

  /** Returns the number of keys whose turn is taken. */
  public int taken() {
    lock.lock();
    try {
      return queues.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A place in the queues of one or more keys. Its owner waits for turns, or has the turns of all
   * its keys.
   */
  private final class Place implements Turn {

    /** The keys in an order that is the same for all callers, which prevents deadlocks. */
    private final List<K> keys;

    private final CompletableFuture<Turn> turn = new CompletableFuture<>();
    private int held;
    private boolean left;

    Place(List<K> keys) {
      this.keys = keys;
    }

    /** Completes the future. If the caller no longer waits, ends the turn. */
    private void come() {
      if (!turn.complete(this)) {
        end();
      }
    }

    /** Ends the turns that this place has, and leaves the queue in which it waits. */
    @Override
    public void end() {
      List<Place> next = new ArrayList<>();
      lock.lock();
      try {
        if (!left) {
          left = true;
          for (K key : keys.subList(0, Math.min(held + 1, keys.size()))) {
            free(key, next);
          }
        }
      } finally {
        lock.unlock();
      }
      next.forEach(Place::come);
    }

    private void free(K key, List<Place> next) {
      ArrayDeque<Place> queue = queues.get(key);
      if (queue == null) {
        return;
      }
      boolean hadIt = isFirst(queue);
      queue.remove(this);
      Place first = queue.peek();
      if (first == null) {
        queues.remove(key);
      } else if (hadIt) {
        first.held++;
        if (first.advance()) {
          next.add(first);
        }
      }
    }

    /**
     * Takes the turns of the keys in order until a key is not free. Returns whether all turns are
     * taken.
     */
    private boolean advance() {
      while (held < keys.size()) {
        ArrayDeque<Place> queue =
            queues.computeIfAbsent(keys.get(held), none -> new ArrayDeque<>(2));
        queue.add(this);
        if (!isFirst(queue)) {
          return false;
        }
        held++;
      }
      return true;
    }

    @SuppressWarnings("ReferenceEquality") // a place is only equal to itself
    private boolean isFirst(ArrayDeque<Place> queue) {
      return queue.peek() == this;
    }
  }
}
