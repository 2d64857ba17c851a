package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record of a segment: the complete new value of a key.
 *
 * <pre>
 * 0  magic u32      "CSJ1", or "CSJ+" if the record before it was not synced yet
 * 4  length u32     of what follows the check, without padding
 * 8  check u32      CRC32C of the length and of what follows the check
 * 12 seq u64        one more than in the record before
 * 20 epoch u64      of the owner who wrote it
 * 28 kind u8
 * 29 action u8
 * 30 idLength u8
 * 31 keyCheck u32   CRC32C of the length, 12 to 30 and the id: tells whose record it is, and
 *                   where it ends, when the value is damaged
 * 35 id, value, padding with zeros to a multiple of 8
 * </pre>
 *
 * <p>All numbers are little endian.
 *
 * @param seq its position in the order of all writes
 * @param epoch the epoch of its writer
 * @param name the key of the value
 * @param action the effect on the key
 * @param value the value; empty if the key is removed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never shown
record Entry(long seq, long epoch, EntryName name, int action, byte[] value) {

  static final int ALIGNMENT = 8;

  /** The key has this value. */
  static final int PUT = 0;

  /** The key is removed. */
  static final int REMOVE = 1;

  /** The key has this value, and the volume with the same id is removed. */
  static final int BURY = 2;

  private static final int MAGIC = 0x314a5343;
  private static final int MAGIC_TOGETHER = 0x2b4a5343;
  private static final int CHECKED_FROM = 12;
  private static final int FIXED = 35;

  /**
   * The maximum number of an entry. No host makes so many writes, and a higher number would leave
   * none for later entries.
   */
  private static final long MAX_NUMBER = 1L << 62;

  private static final int MAX_LENGTH =
      FIXED - CHECKED_FROM + StateKey.MAX_ID + StateValue.MAX_SIZE + StateValue.MAX_AROUND + 1024;

  /** The fields of a record that can be read even if its value is damaged. */
  record Key(long seq, EntryName name, int action, int size) {}

  /** Creates an entry for a key that has no position yet. */
  static Entry unplaced(EntryName name, int action, byte[] value) {
    return new Entry(0, 0, name, action, value);
  }

  /** Returns the entry at a position in the order. */
  Entry at(long seq, long epoch) {
    return new Entry(seq, epoch, name, action, value);
  }

  /** Whether this record is later than another. */
  boolean isAfter(Entry other) {
    return epoch != other.epoch ? epoch > other.epoch : seq > other.seq;
  }

  /** The number of bytes in a segment. */
  int size() {
    return padded(FIXED + name.id().length() + value.length);
  }

  /** Returns the bytes in a segment, including padding. */
  byte[] encode() {
    byte[] id = name.id().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes = ByteBuffer.allocate(size()).order(ByteOrder.LITTLE_ENDIAN);
    int length = FIXED - CHECKED_FROM + id.length + value.length;
    bytes.putInt(MAGIC).putInt(length).putInt(0).putLong(seq).putLong(epoch);
    bytes.put((byte) name.kind()).put((byte) action).put((byte) id.length);
    bytes.putInt(0).put(id).put(value);
    bytes.putInt(31, keyCheck(bytes.array(), 0, id.length));
    bytes.putInt(8, check(bytes.array(), 0, length));
    return bytes.array();
  }

  /**
   * Returns the bytes of records that are synced together.
   *
   * @param isContinued whether they are synced together with the record before them, too
   */
  static byte[] encode(List<Entry> together, boolean isContinued) {
    ByteBuffer all =
        ByteBuffer.allocate(together.stream().mapToInt(Entry::size).sum())
            .order(ByteOrder.LITTLE_ENDIAN);
    for (Entry entry : together) {
      int at = all.position();
      all.put(entry.encode());
      all.putInt(at, at == 0 && !isContinued ? MAGIC : MAGIC_TOGETHER);
    }
    return all.array();
  }

  /** Whether the record there was written before the previous one was synced. */
  static boolean isTogether(byte[] segment, int at) {
    return ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN).getInt(at) == MAGIC_TOGETHER;
  }

  /** Whether the number can be a position or an epoch of a writer. */
  static boolean isNumber(long number) {
    return number >= 0 && number <= MAX_NUMBER;
  }

  private static boolean isMagic(int magic) {
    return magic == MAGIC || magic == MAGIC_TOGETHER;
  }

  /** Decodes the record that begins there; null if there is no complete record. */
  static @Nullable Entry decode(byte[] segment, int at) {
    Key key = key(segment, at);
    if (key == null) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
    int length = bytes.getInt(at + 4);
    int idLength = key.name().id().length();
    int before = FIXED - CHECKED_FROM + idLength;
    if (length < before || length > MAX_LENGTH || at + CHECKED_FROM + length > segment.length) {
      return null;
    }
    if (bytes.getInt(at + 8) != check(segment, at, length)) {
      return null;
    }
    byte[] value = new byte[length - before];
    System.arraycopy(segment, at + FIXED + idLength, value, 0, value.length);
    return new Entry(key.seq(), bytes.getLong(at + 20), key.name(), key.action(), value);
  }

  /**
   * Decodes the key of the record that begins there; null if it cannot be read. The value may be
   * damaged.
   */
  static @Nullable Key key(byte[] segment, int at) {
    if (at + FIXED > segment.length) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
    int idLength = segment[at + 30] & 0xff;
    if (!isMagic(bytes.getInt(at))
        || idLength > StateKey.MAX_ID
        || !isNumber(bytes.getLong(at + 12))
        || !isNumber(bytes.getLong(at + 20))
        || at + FIXED + idLength > segment.length
        || bytes.getInt(at + 31) != keyCheck(segment, at, idLength)) {
      return null;
    }
    String id = new String(segment, at + FIXED, idLength, StandardCharsets.US_ASCII);
    if (!StateKey.isId(id)) {
      return null;
    }
    EntryName name = new EntryName(segment[at + 28] & 0xff, id);
    int size = padded(CHECKED_FROM + Math.max(0, Math.min(bytes.getInt(at + 4), MAX_LENGTH)));
    return new Key(bytes.getLong(at + 12), name, segment[at + 29] & 0xff, size);
  }

  static int padded(int size) {
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private static int keyCheck(byte[] segment, int at, int idLength) {
    CRC32C check = new CRC32C();
    check.update(segment, at + 4, 4);
    check.update(segment, at + CHECKED_FROM, 31 - CHECKED_FROM);
    check.update(segment, at + FIXED, idLength);
    return (int) check.getValue();
  }

  private static int check(byte[] segment, int at, int length) {
    CRC32C check = new CRC32C();
    check.update(segment, at + 4, 4);
    check.update(segment, at + CHECKED_FROM, length);
    return (int) check.getValue();
  }
}
