package io.csi4j.volume.store;

import io.csi4j.volume.state.StateValue;
import java.util.Objects;

/**
 * A record as a store has it.
 *
 * @param key its key
 * @param version the version that this write got; at least 1, unless something else than a store
 *     has written the record
 * @param value the bytes; none if there are more than a store keeps, which something else has
 *     written, too
 * @since 1.0
 */
public record StoredRecord(RecordKey key, long version, StateValue value) {

  private static final int MOST = StateValue.MAX_SIZE + StateValue.MAX_AROUND;

  /** Checks that all parts are there. */
  public StoredRecord {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }

  /** Returns the record with the bytes that a store has found. */
  public static StoredRecord of(RecordKey key, long version, byte[] found) {
    return new StoredRecord(
        key, version, StateValue.ofWrapped(found.length <= MOST ? found : new byte[0]));
  }
}
