package io.csi4j.volume.store;

import io.csi4j.volume.state.StateValue;
import java.util.Objects;

/**
 * A record in a store.
 *
 * @param key its key
 * @param version the version of its last write; at least 1, unless a program other than a store has
 *     written the record
 * @param value the bytes; empty if they exceed the size limit of a store, which also means that
 *     another program has written them
 * @since 1.0
 */
public record StoredRecord(RecordKey key, long version, StateValue value) {

  private static final int MOST = StateValue.MAX_SIZE + StateValue.MAX_AROUND;

  /** Checks that all parts are present. */
  public StoredRecord {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }

  /** Returns the record with bytes as found in the store. */
  public static StoredRecord of(RecordKey key, long version, byte[] found) {
    return new StoredRecord(
        key, version, StateValue.ofWrapped(found.length <= MOST ? found : new byte[0]));
  }
}
