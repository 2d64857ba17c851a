package io.csi4j.volume.store;

import io.csi4j.volume.state.StateValue;
import java.util.Objects;
import java.util.Optional;

/**
 * A conditional write of one record.
 *
 * @param key the key
 * @param seen the record that the store must still contain, with the same version and bytes; empty
 *     if the store must not contain a record with the key
 * @param next the bytes to write; empty to remove the record
 * @since 1.0
 */
public record RecordWrite(RecordKey key, Optional<StoredRecord> seen, Optional<StateValue> next) {

  /** Checks that the parts are consistent. */
  public RecordWrite {
    Objects.requireNonNull(next, "next");
    if (seen.isPresent() && !seen.get().key().equals(key)) {
      throw new IllegalArgumentException(
          "A write to " + key + " cannot expect the record " + seen.get().key() + ".");
    }
    if (seen.isEmpty() && next.isEmpty()) {
      throw new IllegalArgumentException("A record that does not exist cannot be removed: " + key);
    }
  }

  /**
   * Whether a record looks as this write would leave it; empty means that the store has no record
   * with the key.
   */
  public boolean isMade(Optional<StoredRecord> there) {
    return there.map(StoredRecord::value).equals(next);
  }
}
