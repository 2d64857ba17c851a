package io.csi4j.volume.internal.store;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.store.RecordKey;
import java.util.Objects;
import java.util.UUID;

/**
 * The form in which the values of one space are stored.
 *
 * @param <T> the type of the values
 */
public interface ValueCodec<T> {

  /** Returns the space. */
  RecordKey.Space space();

  /** Returns the key of the record of a value. */
  RecordKey key(T value);

  /** Returns the record for display, such as {@code the claim of volume 'default/db'}. */
  String named(RecordKey key);

  /**
   * Returns the bytes of a value.
   *
   * @param mark the unique mark of this write, which must be in the bytes
   * @param newer fields of a newer version to keep
   * @throws io.csi4j.volume.store.RecordStoreException if there are too many bytes
   */
  byte[] encode(T value, UUID mark, UnknownFields newer);

  /** Returns the value in these bytes. */
  Decoded<T> decode(byte[] bytes) throws MalformedRecordException;

  /**
   * Returns whether records of this space are removed. In a space without removals, a record that
   * was seen and is now absent shows that the store has lost records.
   */
  boolean removes();

  /**
   * A decoded value.
   *
   * @param value the value
   * @param newer fields that a newer version wrote
   */
  record Decoded<T>(T value, UnknownFields newer) {

    /** Checks that both parts are there. */
    public Decoded {
      Objects.requireNonNull(value, "value");
      Objects.requireNonNull(newer, "newer");
    }
  }
}
