package io.csi4j.mount.internal.table;

import java.util.Arrays;

/** A piece of the text table with whole rows, and where the fields of those that make sense are. */
final class RowPage {

  /** The numbers that are kept of a row: first its own, and its place in the table. */
  static final int ID = 0;

  static final int PARENT = 1;
  static final int MAJOR = 2;
  static final int MINOR = 3;
  static final int PLACE = 4;

  /** Where each of the other fields begins: one after the blank that ends the one before. */
  static final int ROOT = 5;

  static final int PATH = 6;
  static final int FLAGS = 7;
  static final int TAGS = 8;
  static final int TYPE = 9;
  static final int SOURCE = 10;
  static final int OPTIONS = 11;
  static final int END = 12;

  private static final int KEPT = 13;

  /** Rows are seldom shorter. */
  private static final int SHORT_ROW = 128;

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

  /** How many rows there are. */
  int rows() {
    return rows;
  }

  /** Returns a number that is kept of one of the rows. */
  int get(int row, int kept) {
    return fields[row * KEPT + kept];
  }

  /** Adds the row between these bytes, unless it makes no sense. */
  boolean add(int from, int to, int place) {
    int at = rows * KEPT;
    if (at == fields.length) {
      fields = Arrays.copyOf(fields, 2 * at);
    }
    if (!RowScan.scan(text, from, to, fields, at)) {
      return false;
    }
    fields[at + PLACE] = place;
    rows++;
    return true;
  }
}
