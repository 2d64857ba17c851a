package io.csi4j.benchmarks.journal;

import io.csi4j.benchmarks.Callers;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.util.concurrent.atomic.LongAdder;

/** Each caller gives its own key a value, which is on the disk when it returns. */
final class Appends implements Callers.Work {

  private final StateStore store;
  private final StateValue value;
  private final LongAdder done = new LongAdder();

  /** Values of so many bytes. */
  Appends(StateStore store, int bytes) {
    this.store = store;
    this.value = StateValue.of(new byte[bytes]);
  }

  @Override
  public void doOnce(int caller) {
    if (store.put(key(caller), value, Durability.REQUIRED) != Stored.DURABLE) {
      throw new IllegalStateException("A record was not kept.");
    }
    done.increment();
  }

  /** The ids of volumes have this length. */
  static StateKey key(int number) {
    return StateKey.volume("%026d".formatted(number));
  }

  /** The number of appends. */
  long done() {
    return done.sum();
  }

  /** The bytes that one takes in the file, with its head and padding. */
  int bytes() {
    long before = room(store);
    doOnce(0);
    return Math.toIntExact(before - room(store));
  }

  /** The bytes that are left for records that take something. */
  static long room(StateStore store) {
    if (store.capacity() instanceof StateStore.Capacity.Free room) {
      return room.bytes();
    }
    throw new IllegalStateException("There is no room: " + store.capacity());
  }
}
