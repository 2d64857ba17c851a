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
 * Turns of those that work on the same keys: one at a time has the turn of a key, and the others
 * wait in the order in which they came. A waiter needs no thread, though it may wait on its own. No
 * lock is held during a turn, and any thread may end it.
 *
 * @param <K> the keys
 */
public final class Turns<K> {

  private final int waiters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, ArrayDeque<Place>> queues = new HashMap<>();

  /** Turns for which any number may wait. */
  public Turns() {
    this(Integer.MAX_VALUE);
  }

  /**
   * Turns with a bound.
   *
   * @param waiters the number that may wait for the turn of one key
   */
  public Turns(int waiters) {
    this.waiters = waiters;
  }

  /** The turn of one or more keys. */
  @FunctionalInterface
  public interface Turn {

    /** Ends it. The next in line begins on this thread; ending it twice is harmless. */
    void end();
  }

  /**
   * Returns the turn to come, which is there already if no other has it. Cancelling or failing the
   * future gives up the place in line.
   */
  public CompletableFuture<Turn> take(K key) {
    return take(List.of(key)).orElseThrow();
  }

  /**
   * Returns the turn of all these keys; nothing if the bound of waiters is reached at one of them.
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

  /** Does work in the turn of this key; waits for that also with an interrupt. */
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

  /** The place of one that waits, or has all that it waited for. */
  private final class Place implements Turn {

    /** In an order that all keep to, so that no two wait for each other. */
    private final List<K> keys;

    private final CompletableFuture<Turn> turn = new CompletableFuture<>();
    private int held;
    private boolean left;

    Place(List<K> keys) {
      this.keys = keys;
    }

    /** Its turn has come, unless it does not wait any more. */
    private void come() {
      if (!turn.complete(this)) {
        end();
      }
    }

    /** Gives everything back, also a place in a queue. */
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

    /** Takes what is free, up to the first key that is not; true if that was all. */
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

    @SuppressWarnings("ReferenceEquality") // a place is itself and no other
    private boolean isFirst(ArrayDeque<Place> queue) {
      return queue.peek() == this;
    }
  }
}
