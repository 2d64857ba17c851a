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
 * The name of a record in a store that sorts names by their bytes. Names sort as UTF-16, so each
 * half of a surrogate pair is written on its own, as CESU-8 does.
 *
 * @since 1.0
 */
public final class RecordName {

  private RecordName() {}

  /** Returns the bytes of a name. */
  public static byte[] bytes(String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(name.length());
    for (int i = 0; i < name.length(); i++) {
      write(name.charAt(i), out);
    }
    return out.toByteArray();
  }

  /** Returns the name with these bytes, or another one for bytes that are no name. */
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
     * @param limit the number of records; fewer only if there are no more
     */
    List<Row> behind(byte[] name, int limit);
  }

  /**
   * A record in a store that sorts names by bytes.
   *
   * @param name the bytes of its name
   * @param version its version
   * @param value its bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Row(byte[] name, long version, byte[] value) {

    /** Returns the record. */
    public StoredRecord in(RecordKey.Space space) {
      return StoredRecord.of(new RecordKey(space, text(name)), version, value);
    }
  }

  /**
   * Returns a page of records. The next page begins after a name; a page is extended until there is
   * one, so it is longer if another program has written bytes that are not a name.
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
