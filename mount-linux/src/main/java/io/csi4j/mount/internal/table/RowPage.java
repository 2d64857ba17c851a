package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.text.ByteSearch;
import io.csi4j.mount.model.MountPath;
import java.util.Arrays;

/**
 * A part of the text table with complete rows, and the offsets of the fields of the valid ones.
 *
 * <pre>
 * 36 35 98:0 /root /mnt/point rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 * id parent device root path  flags      optional…  type source    options
 * </pre>
 *
 * <p>Fields are separated by one blank each, so a field may be empty. The optional ones end at the
 * first that is a dash: none of them is a dash, while options may contain blanks and dashes.
 */
final class RowPage {

  /** The numbers that are kept of a row: first its own, and its index in the table. */
  static final int ID = 0;

  static final int PARENT = 1;
  static final int MAJOR = 2;
  static final int MINOR = 3;
  static final int PLACE = 4;

  /** The start of each other field: one after the blank that ends the previous field. */
  static final int ROOT = 5;

  static final int PATH = 6;
  static final int FLAGS = 7;
  static final int TAGS = 8;
  static final int TYPE = 9;
  static final int SOURCE = 10;
  static final int OPTIONS = 11;
  static final int END = 12;

  private static final int KEPT = 13;

  /** Rows are rarely shorter. */
  private static final int SHORT_ROW = 128;

  /** The blanks of a row without optional fields: one before each field except the first. */
  private static final int USUAL_BLANKS = 9;

  private final byte[] text;
  private int[] fields;
  private int rows;

  RowPage(int size) {
    this.text = new byte[size];
    this.fields = new int[size / SHORT_ROW * KEPT];
  }

  /** Returns the text, for the code that adds the rows. */
  byte[] text() {
    return text;
  }

  /** Returns the number of rows. */
  int rows() {
    return rows;
  }

  /** Returns a kept number of one of the rows. */
  int get(int row, int kept) {
    return fields[row * KEPT + kept];
  }

  /** Returns the optional fields of one of the rows, with one blank between them. */
  byte[] tags(int row) {
    int from = get(row, TAGS);
    int dash = get(row, TYPE) - "- ".length();
    return Arrays.copyOfRange(text, from, Math.max(from, dash - 1));
  }

  /** Adds the row between these bytes, unless it is invalid. */
  boolean add(int from, int to, int place) {
    int at = rows * KEPT;
    if (at == fields.length) {
      fields = Arrays.copyOf(fields, 2 * at);
    }
    if (!scan(text, from, to, fields, at)) {
      return false;
    }
    fields[at + PLACE] = place;
    rows++;
    return true;
  }

  /** Returns the number at the start of the row, or -1 if there is none. */
  static int id(byte[] bytes, int from, int to) {
    return RowFields.number(bytes, from, blank(bytes, from, to));
  }

  /**
   * Returns whether the row is valid; if so, a mount can be created from it.
   *
   * @param out receives its numbers and the offsets of its fields
   * @param at the index in {@code out}
   */
  private static boolean scan(byte[] bytes, int from, int to, int[] out, int at) {
    // Most rows have no optional fields: then one pass finds all blanks. The offsets of parent and
    // device are needed only until their numbers are read, so they share the same elements.
    int first = at + ROOT - 2;
    int lacking = ByteSearch.placesAfter((byte) ' ', bytes, from, to, out, first, USUAL_BLANKS);
    if (lacking > 0 || !isDash(bytes, out[at + TAGS], out[at + TYPE])) {
      return find(bytes, from, to, out, at) && makesSense(bytes, from, to, out, at);
    }
    return makesSense(bytes, from, to, out, at);
  }

  /** Returns whether the found fields are valid; reads the numbers. */
  private static boolean makesSense(byte[] bytes, int from, int to, int[] out, int at) {
    int parent = out[at + ROOT - 2];
    int device = out[at + ROOT - 1];
    int root = out[at + ROOT];
    int colon = device;
    while (colon < root - 1 && bytes[colon] != ':') {
      colon++;
    }
    int id = RowFields.number(bytes, from, parent - 1);
    int parentId = RowFields.number(bytes, parent, device - 1);
    int major = RowFields.number(bytes, device, colon);
    int minor = RowFields.number(bytes, colon + 1, root - 1);
    out[at + ID] = id;
    out[at + PARENT] = parentId;
    out[at + MAJOR] = major;
    out[at + MINOR] = minor;
    out[at + END] = to;
    return (id | parentId | major | minor) >= 0
        && isPath(bytes, out[at + PATH], out[at + FLAGS] - 1);
  }

  /**
   * Finds the fields one by one, with any number of optional ones; returns false if one is missing.
   */
  private static boolean find(byte[] bytes, int from, int to, int[] out, int at) {
    // A missing field starts behind the row, and so do all after it.
    int place = at + ROOT - 2;
    int field = from;
    while (place <= at + TAGS) {
      field = blank(bytes, field, to) + 1;
      out[place++] = field;
    }
    int type = afterDash(bytes, field, to);
    int source = blank(bytes, type, to) + 1;
    int options = blank(bytes, source, to) + 1;
    out[at + TYPE] = type;
    out[at + SOURCE] = source;
    out[at + OPTIONS] = options;
    return options <= to;
  }

  /**
   * Returns the path of a mount.
   *
   * @throws IllegalArgumentException if it is invalid
   */
  static MountPath path(byte[] bytes, int from, int to) {
    return ByteSearch.indexOf((byte) '\\', bytes, from, to) == to
        ? MountPath.ofBytes(bytes, from, to)
        : MountPath.ofBytes(RowFields.unescape(Arrays.copyOfRange(bytes, from, to)));
  }

  private static boolean isPath(byte[] bytes, int from, int to) {
    if (ByteSearch.isOrdinaryPath(bytes, from, to)) {
      return true;
    }
    try {
      path(bytes, from, to);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isDash(byte[] bytes, int from, int next) {
    return bytes[from] == '-' && next - from == 2;
  }

  /** Returns the start of the field after the dash; behind the row if there is no dash. */
  private static int afterDash(byte[] bytes, int from, int to) {
    int start = from;
    while (start < to) {
      int end = blank(bytes, start, to);
      if (end - start == 1 && bytes[start] == '-') {
        return end + 1;
      }
      start = end + 1;
    }
    return to + 1;
  }

  private static int blank(byte[] bytes, int from, int to) {
    return ByteSearch.indexOf((byte) ' ', bytes, from, to);
  }
}
