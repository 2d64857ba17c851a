package io.csi4j.volume.store;

import io.csi4j.volume.state.StateValue;
import java.util.Objects;
import java.util.Optional;

/**
 * A conditional write of one record.
 *
 * @param key the key
 * @param seen the record that must still be present, with this version and these bytes; empty if no
 *     record may be present
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

  /** Returns whether the given record, or its absence, is the result of this write. */
  public boolean isMade(Optional<StoredRecord> there) {
    return there.map(StoredRecord::value).equals(next);
  }
}
