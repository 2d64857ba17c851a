package io.csi4j.mount.internal.table;

import io.csi4j.mount.MountRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Makes mounts of the bytes of a {@code mountinfo} file, handed to it piece by piece. Whatever the
 * bytes are, it throws nothing: a row that makes no sense, or is longer than any that could, is
 * counted and left out. Good for one table and one thread.
 */
public final class MountInfoParser {

  /** The longest row that is kept in memory, in bytes. */
  static final int LONGEST_ROW = 1 << 20;

  private static final byte END_OF_ROW = '\n';

  private final RowParser parser;
  private final IntPredicate wanted;
  private final List<MountRecord> records = new ArrayList<>();
  private int rows;
  private int skipped;

  /** The beginning of a row whose end has not come yet. */
  private byte[] begun = {};

  private int begunLength;
  private boolean isOverlong;

  /** A parser for a table as text, in which mounts have numbers that are used again. */
  public MountInfoParser(String bootId) {
    this(bootId, RowNames.TEXT_ALONE, id -> true);
  }

  /**
   * A parser for some of the rows.
   *
   * @param wanted whether a row is, by the number it begins with; one that is not wanted is not
   *     looked at
   */
  MountInfoParser(String bootId, RowNames names, IntPredicate wanted) {
    this.parser = new RowParser(bootId, names);
    this.wanted = wanted;
  }

  /** The mounts of a whole table. */
  public static TableRows parse(byte[] table, String bootId) {
    MountInfoParser parser = new MountInfoParser(bootId);
    parser.accept(table, table.length);
    return parser.end();
  }

  /** Takes the next bytes of the table. */
  public void accept(byte[] bytes, int length) {
    int from = 0;
    while (from < length) {
      int to = ByteSearch.indexOf(END_OF_ROW, bytes, from, length);
      if (to == length) {
        keep(bytes, from, to);
      } else if (isBegun()) {
        keep(bytes, from, to);
        begunRow();
      } else {
        row(bytes, from, to, to - from > LONGEST_ROW);
      }
      from = to + 1;
    }
  }

  /** The mounts, now that the table has ended. */
  public TableRows end() {
    if (isBegun()) {
      begunRow();
    }
    return new TableRows(records, skipped);
  }

  /** How many mounts were read so far. */
  int found() {
    return records.size();
  }

  private boolean isBegun() {
    return begunLength > 0 || isOverlong;
  }

  private void keep(byte[] bytes, int from, int to) {
    int length = begunLength + to - from;
    if (isOverlong || length > LONGEST_ROW) {
      isOverlong = true;
      begunLength = 0;
      return;
    }
    if (length > begun.length) {
      begun = Arrays.copyOf(begun, Math.max(length, 2 * begun.length));
    }
    System.arraycopy(bytes, from, begun, begunLength, to - from);
    begunLength = length;
  }

  private void begunRow() {
    row(begun, 0, begunLength, isOverlong);
    begunLength = 0;
    isOverlong = false;
  }

  private void row(byte[] bytes, int from, int to, boolean overlong) {
    int row = rows++;
    if (!overlong && !wanted.test(RowParser.id(bytes, from, to))) {
      return;
    }
    MountRecord record = overlong ? null : parser.parse(bytes, from, to, row);
    if (record == null) {
      skipped++;
    } else {
      records.add(record);
    }
  }
}
