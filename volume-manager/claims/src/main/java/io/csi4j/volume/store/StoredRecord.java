package io.csi4j.volume.store;

import io.csi4j.volume.state.StateValue;
import java.util.Objects;

/**
 * A record in a store.
 *
 * @param key the key of the record
 * @param version the version of the last write, which is at least 1. A lower version shows that
 *     another program than csi4j has written the record
 * @param value the bytes; empty if their size exceeds the limit, which also shows that another
 *     program has written the record
 * @since 1.0
 */
public record StoredRecord(RecordKey key, long version, StateValue value) {

  private static final int MOST = StateValue.MAX_SIZE + StateValue.MAX_AROUND;

  /** Checks that all parts are present. */
  public StoredRecord {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }

  /** Returns a record with bytes that were read from a store. */
  public static StoredRecord of(RecordKey key, long version, byte[] found) {
    return new StoredRecord(
        key, version, StateValue.ofWrapped(found.length <= MOST ? found : new byte[0]));
  }
}
