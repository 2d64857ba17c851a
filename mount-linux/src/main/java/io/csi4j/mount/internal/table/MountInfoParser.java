package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.text.ByteSearch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows in the bytes of a {@code mountinfo} file, piece by piece. Never throws, for any
 * bytes: an invalid row, or one that is longer than any valid one, is counted and left out. For one
 * table and one thread.
 */
public final class MountInfoParser {

  /** The longest row that is kept in memory, in bytes. */
  static final int LONGEST_ROW = 1 << 20;

  /** The kernel returns at most this much for one read, and more only for a longer row. */
  private static final int USUAL_READ = 4096;

  /** The JVM reuses its memory for reads up to this size. */
  private static final int MOST_READ = 8192;

  /** Most tables are small, and clearing unused memory costs time. */
  private static final int FIRST_PAGE = 1 << 13;

  private static final int PAGE = 1 << 16;

  private static final byte END_OF_ROW = '\n';

  /** Null if all rows are wanted. */
  private final @Nullable IntPredicate wanted;

  /** The full pages, before the one that is being filled. */
  private final List<RowPage> pages = new ArrayList<>();

  private RowPage page = new RowPage(FIRST_PAGE);

  /** The end of the text in the page, and the start of the row whose end has not been read yet. */
  private int filled;

  private int begun;
  private boolean isOverlong;

  private int rows;
  private int found;
  private int skipped;

  MountInfoParser() {
    this.wanted = null;
  }

  /**
   * Creates a parser for some of the rows.
   *
   * @param wanted returns whether a row is wanted, by the number at its start; other rows are
   *     skipped
   */
  MountInfoParser(IntPredicate wanted) {
    this.wanted = wanted;
  }

  /** Returns the mounts of a whole table as text, in which mounts have reusable numbers. */
  public static TableRows parse(byte[] table, String bootId) {
    MountInfoParser parser = new MountInfoParser();
    try (InputStream in = new ByteArrayInputStream(table)) {
      while (parser.read(in)) {}
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return TableRows.of(parser.end(), bootId);
  }

  /**
   * Reads the next bytes of the table; false if there are no more.
   *
   * @throws IOException if reading fails
   */
  boolean read(InputStream in) throws IOException {
    if (page.text().length - filled < USUAL_READ) {
      turnPage();
    }
    int read = in.read(page.text(), filled, Math.min(MOST_READ, page.text().length - filled));
    if (read < 0) {
      return false;
    }
    int from = filled;
    filled += read;
    for (int to = endOfRow(from); to < filled; to = endOfRow(begun)) {
      row(to);
      begun = to + 1;
    }
    if (isOverlong || filled - begun > LONGEST_ROW) {
      isOverlong = true;
      filled = begun;
    }
    return true;
  }

  /** Returns the rows after the table has ended. */
  ScannedRows end() {
    if (begun < filled || isOverlong) {
      row(filled);
      begun = filled;
    }
    keepPage();
    return new ScannedRows(pages, found, skipped);
  }

  /** Returns the number of rows so far. */
  int found() {
    return found;
  }

  private int endOfRow(int from) {
    return ByteSearch.indexOf(END_OF_ROW, page.text(), from, filled);
  }

  private void row(int to) {
    int place = rows++;
    boolean tooLong = isOverlong || to - begun > LONGEST_ROW;
    isOverlong = false;
    if (!tooLong && wanted != null && !wanted.test(RowPage.id(page.text(), begun, to))) {
      return;
    }
    if (!tooLong && page.add(begun, to, place)) {
      found++;
    } else {
      skipped++;
    }
  }

  /** Continues in another page, with the row that has no end yet. */
  private void turnPage() {
    int kept = filled - begun;
    RowPage next = new RowPage(Math.max(PAGE, 2 * (kept + MOST_READ)));
    System.arraycopy(page.text(), begun, next.text(), 0, kept);
    keepPage();
    page = next;
    filled = kept;
    begun = 0;
  }

  private void keepPage() {
    if (page.rows() > 0) {
      pages.add(page);
    }
  }
}
