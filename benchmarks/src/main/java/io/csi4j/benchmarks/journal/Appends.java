package io.csi4j.benchmarks.journal;

import io.csi4j.benchmarks.Callers;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.util.concurrent.atomic.LongAdder;

/** Each caller writes a value for its own key. The value is on disk when the write returns. */
final class Appends implements Callers.Work {

  private final StateStore store;
  private final StateValue value;
  private final LongAdder done = new LongAdder();

  /** Creates a caller that writes values of this number of bytes. */
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

  /** The keys have the same length as ids of volumes. */
  static StateKey key(int number) {
    return StateKey.volume("%026d".formatted(number));
  }

  /** The number of appends. */
  long done() {
    return done.sum();
  }

  /** The number of bytes of one append in the file, including header and padding. */
  int bytes() {
    long before = room(store);
    doOnce(0);
    return Math.toIntExact(before - room(store));
  }

  /** Returns the number of bytes that are left in the store for new records. */
  static long room(StateStore store) {
    if (store.capacity() instanceof StateStore.Capacity.Free room) {
      return room.bytes();
    }
    throw new IllegalStateException("There is no room: " + store.capacity());
  }
}
