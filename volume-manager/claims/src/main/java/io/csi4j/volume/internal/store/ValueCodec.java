package io.csi4j.volume.internal.store;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.store.RecordKey;
import java.util.Objects;
import java.util.UUID;

/**
 * Encodes and decodes the values of one space.
 *
 * @param <T> the type of the values
 */
public interface ValueCodec<T> {

  /** Returns the space of the values. */
  RecordKey.Space space();

  /** Returns the key of the record that contains a value. */
  RecordKey key(T value);

  /** Returns the name of a record for display, such as {@code the claim of volume 'default/db'}. */
  String named(RecordKey key);

  /**
   * Encodes a value.
   *
   * @param mark the unique mark of this write, which the bytes must contain
   * @param newer the unknown fields of a newer version, which are kept
   * @throws io.csi4j.volume.store.RecordStoreException if the encoded value is too large
   */
  byte[] encode(T value, UUID mark, UnknownFields newer);

  /** Decodes a value. */
  Decoded<T> decode(byte[] bytes) throws MalformedRecordException;

  /**
   * Whether records of this space can be removed. If not, and a record that was read before is now
   * absent, the store has lost records.
   */
  boolean removes();

  /**
   * A decoded value.
   *
   * @param value the value
   * @param newer the unknown fields that a newer version wrote
   */
  record Decoded<T>(T value, UnknownFields newer) {

    /** Checks that both parts are set. */
    public Decoded {
      Objects.requireNonNull(value, "value");
      Objects.requireNonNull(newer, "newer");
    }
  }
}
