package io.csi4j.volume.claim.jdbc;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a name that is too long for an index of PostgreSQL, whose entries are limited
 * to about 2,700 bytes. The column {@code name} contains the first bytes of the name and a digest
 * of the complete name. The column {@code record} contains the same digest, the complete name, and
 * the record.
 *
 * <p>Long names with the same first bytes form a group. In the table, the names of a group are next
 * to each other, but in the order of their digests. Therefore, a listing reads a group completely
 * and sorts it. A separate digest column with an index is not possible, because older csi4j
 * versions write with {@code ON CONFLICT (name)}.
 */
final class LongName {

  /** Maximum length of a name that is stored unchanged. */
  static final int SHORT = 2_600;

  /** Number of first bytes of a longer name that the column {@code name} contains. */
  static final int FIRST = 2_569;

  /** The size of the digest, in bytes. */
  static final int DIGEST = 32;

  private LongName() {}

  /** Returns the stored form of a name, for the column {@code name}. */
  static byte[] kept(byte[] name) {
    if (name.length <= SHORT) {
      return name;
    }
    byte[] kept = Arrays.copyOf(name, FIRST + DIGEST);
    System.arraycopy(digest(name), 0, kept, FIRST, DIGEST);
    return kept;
  }

  /** Returns the stored form of a record, for the column {@code record}. */
  static byte[] record(byte[] name, byte[] record) {
    return name.length <= SHORT ? record : before(name, name.length, record);
  }

  /** Returns the entry that the log of writes has for the removal of a record. */
  static byte @Nullable [] removal(byte[] name) {
    return name.length <= SHORT ? null : before(name, -name.length, new byte[0]);
  }

  private static byte[] before(byte[] name, int length, byte[] record) {
    return ByteBuffer.allocate(DIGEST + Integer.BYTES + name.length + record.length)
        .put(digest(name))
        .putInt(length)
        .put(name)
        .put(record)
        .array();
  }

  /**
   * Returns a row with its complete name and its record. A row without the form of a long name is
   * returned unchanged.
   */
  static StoreRows.Row row(byte[] name, long version, byte @Nullable [] record) {
    int start = DIGEST + Integer.BYTES;
    if (record != null
        && name.length == FIRST + DIGEST
        && record.length > start
        && Arrays.equals(name, FIRST, name.length, record, 0, DIGEST)) {
      int length = ByteBuffer.wrap(record).getInt(DIGEST);
      int end = start + Math.abs(length);
      if (end > start && end <= record.length) {
        return new StoreRows.Row(
            Arrays.copyOfRange(record, start, end),
            version,
            length < 0 ? null : Arrays.copyOfRange(record, end, record.length));
      }
    }
    return new StoreRows.Row(name, version, record);
  }

  /** Whether a name belongs to a group of long names. */
  static boolean isOfGroup(byte[] name) {
    return name.length > FIRST;
  }

  /** Returns the position before the first name in the group of this name. */
  static byte[] begin(byte[] name) {
    return Arrays.copyOf(name, FIRST);
  }

  /**
   * Returns the position after the last name in the group of this name, and before all later names.
   */
  static byte[] end(byte[] name) {
    byte[] end = Arrays.copyOf(name, FIRST + DIGEST + 1);
    Arrays.fill(end, FIRST, end.length, (byte) 0xff);
    return end;
  }

  private static byte[] digest(byte[] name) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(name);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Each Java platform has SHA-256.", e);
    }
  }
}
