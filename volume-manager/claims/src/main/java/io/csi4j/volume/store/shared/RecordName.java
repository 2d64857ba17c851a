package io.csi4j.volume.store.shared;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Page;
import io.csi4j.volume.store.StoredRecord;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The encoding of a record's name for a server that sorts names by their bytes. Names must sort by
 * their UTF-16 code units. Therefore, each half of a surrogate pair is encoded separately, as in
 * CESU-8.
 *
 * @since 1.0
 */
public final class RecordName {

  private RecordName() {}

  /** Returns the encoded bytes of a name. */
  public static byte[] bytes(String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(name.length());
    for (int i = 0; i < name.length(); i++) {
      write(name.charAt(i), out);
    }
    return out.toByteArray();
  }

  /**
   * Returns the name with these bytes. For bytes that are not a valid encoding, returns a name with
   * other bytes.
   */
  public static String text(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    for (int at = 0; at < bytes.length; ) {
      int first = bytes[at++] & 0xff;
      int more = first < 0x80 ? 0 : first < 0xe0 ? 1 : 2;
      int c = more == 0 ? first : first & (0x3f >> more);
      for (int i = 0; i < more && at < bytes.length; i++) {
        c = (c << 6) | (bytes[at++] & 0x3f);
      }
      text.append((char) c);
    }
    return text.toString();
  }

  /** A query for records in the order of their names. */
  @FunctionalInterface
  public interface Query {

    /**
     * Returns the records after a name.
     *
     * @param limit the number of records to return; a shorter list means that the store has no
     *     further records
     */
    List<Row> behind(byte[] name, int limit);
  }

  /**
   * A record on a server that sorts names by their bytes.
   *
   * @param name the encoded name of the record
   * @param version the version of the record
   * @param value the bytes of the record
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Row(byte[] name, long version, byte[] value) {

    /** Returns the record in this space. */
    public StoredRecord in(RecordKey.Space space) {
      return StoredRecord.of(new RecordKey(space, text(name)), version, value);
    }
  }

  /**
   * Returns a page of records. The page must end with a valid name, because the next page begins
   * after it. If another program has written invalid names, the page may be longer than the limit.
   */
  public static Page page(
      RecordKey.Space space, Optional<RecordKey> after, int limit, Query query) {
    List<StoredRecord> records = new ArrayList<>();
    byte[] last = after.map(key -> bytes(key.name())).orElse(new byte[0]);
    while (true) {
      List<Row> found = query.behind(last, limit);
      found.forEach(each -> records.add(each.in(space)));
      if (found.size() < limit) {
        return new Page(records, Optional.empty());
      }
      last = found.get(found.size() - 1).name();
      if (Arrays.equals(bytes(text(last)), last)) {
        return Page.of(records, limit);
      }
    }
  }

  private static void write(char c, ByteArrayOutputStream out) {
    if (c < 0x80) {
      out.write(c);
    } else if (c < 0x800) {
      out.write(0xc0 | (c >> 6));
      out.write(0x80 | (c & 0x3f));
    } else {
      out.write(0xe0 | (c >> 12));
      out.write(0x80 | ((c >> 6) & 0x3f));
      out.write(0x80 | (c & 0x3f));
    }
  }
}
