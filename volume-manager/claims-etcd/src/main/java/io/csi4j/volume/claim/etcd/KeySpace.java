package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.RecordName;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The names of the keys in etcd. The key of the store's mark is the prefix followed by {@code
 * store}. The key of a record is the prefix followed by {@code claims/}, {@code volumes/} or {@code
 * cluster/} and the {@link RecordName}.
 */
final class KeySpace {

  private final String prefix;

  KeySpace(String prefix) {
    this.prefix = prefix;
  }

  /** Returns the key of the store's mark. */
  byte[] mark() {
    return (prefix + "store").getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the position before the keys of a space. */
  byte[] first(Space space) {
    return folder(space, "/");
  }

  /**
   * Returns the position after the keys of a space. It ends with {@code 0}, the character that
   * follows the slash.
   */
  byte[] end(Space space) {
    return folder(space, "0");
  }

  private byte[] folder(Space space, String end) {
    return (prefix + space.name().toLowerCase(Locale.ROOT) + end).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the key of a record. */
  byte[] of(RecordKey key) {
    return below(key.space(), RecordName.bytes(key.name()), new byte[0]);
  }

  /** Returns the encoded name of the record with this key. */
  byte[] name(byte[] key) {
    return Arrays.copyOfRange(key, first(space(key)).length, key.length);
  }

  /** Returns the record with this key, version and value. */
  StoredRecord record(byte[] key, long version, byte[] value) {
    return StoredRecord.of(new RecordKey(space(key), RecordName.text(name(key))), version, value);
  }

  private Space space(byte[] key) {
    return Stream.of(Space.values())
        .filter(space -> Arrays.mismatch(first(space), key) == first(space).length)
        .findFirst()
        .orElseThrow();
  }

  /** Returns the first possible key after the key of the record with this name. */
  byte[] after(Space space, byte[] name) {
    return below(space, name, new byte[1]);
  }

  private byte[] below(Space space, byte[] name, byte[] more) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(first(space));
    out.writeBytes(name);
    out.writeBytes(more);
    return out.toByteArray();
  }
}
