package io.csi4j.volume.claim.jdbc;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a name that is longer than an index entry of PostgreSQL, about 2,700 bytes.
 * The column {@code name} contains the first bytes of the name, and a digest of the complete name.
 * The complete name is stored before the record, after the same digest.
 *
 * <p>Names with the same first bytes are a group. In the table, a group is at the position of its
 * names, but unordered: a listing reads a group completely and sorts it. An index on a digest
 * column would refuse older processes, which write with {@code ON CONFLICT (name)}.
 */
final class LongName {

  /** Maximum length of a name that is stored unchanged. */
  static final int SHORT = 2_600;

  /** Number of first bytes of a longer name that are stored. */
  static final int FIRST = 2_569;

  /** The size of the digest. */
  static final int DIGEST = 32;

  private LongName() {}

  /** Returns the stored form of a name. */
  static byte[] kept(byte[] name) {
    if (name.length <= SHORT) {
      return name;
    }
    byte[] kept = Arrays.copyOf(name, FIRST + DIGEST);
    System.arraycopy(digest(name), 0, kept, FIRST, DIGEST);
    return kept;
  }

  /** Returns the stored form of a record. */
  static byte[] record(byte[] name, byte[] record) {
    return name.length <= SHORT ? record : before(name, name.length, record);
  }

  /** Returns the entry in the log of writes for the removal of a record. */
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

  /** Returns the row with its complete name and its record, if it has the form of a long name. */
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

  /** Returns whether a name belongs to a group. */
  static boolean isOfGroup(byte[] name) {
    return name.length > FIRST;
  }

  /** Returns the position before all names of the group of a name. */
  static byte[] begin(byte[] name) {
    return Arrays.copyOf(name, FIRST);
  }

  /** Returns the position after all names of the group of a name, and before all others. */
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
