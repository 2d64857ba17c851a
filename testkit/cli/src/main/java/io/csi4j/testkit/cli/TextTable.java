package io.csi4j.testkit.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** A text table with aligned columns. */
final class TextTable {

  private static final int GAP = 2;

  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table whose columns have these names. */
  TextTable(String... heading) {
    row(heading);
  }

  /** Adds a row. Each text is made safe for one line. */
  TextTable row(String... cells) {
    rows.add(Arrays.stream(cells).map(OneLine::of).toList());
    return this;
  }

  /** Removes the column with this heading if it is empty in all rows. */
  TextTable withoutIfEmpty(String heading) {
    int column = rows.get(0).indexOf(heading);
    if (rows.stream().skip(1).allMatch(row -> row.get(column).isEmpty())) {
      rows.replaceAll(
          row ->
              IntStream.range(0, row.size()).filter(i -> i != column).mapToObj(row::get).toList());
    }
    return this;
  }

  /** Prints the rows, within the width of the screen. */
  void print(Console console) {
    List<String> lines = lines(console.screen().width().getAsInt());
    console.print(console.screen().heading(lines.get(0)));
    lines.stream().skip(1).forEach(console::print);
  }

  /**
   * Returns the lines of the table. If a row is wider than {@code width}, a long first cell gets
   * its own line, so that users can copy it. Other cells continue on further lines. No text is cut
   * off.
   */
  List<String> lines(int width) {
    int[] widths = widths(width);
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      List<List<String>> cells = new ArrayList<>();
      boolean isAlone = row.get(0).length() > widths[0];
      if (isAlone) {
        lines.add(row.get(0));
      }
      cells.add(List.of(isAlone ? "" : row.get(0)));
      for (int i = 1; i < widths.length; i++) {
        cells.add(pieces(row.get(i), widths[i], widths[i]));
      }
      int height = cells.stream().mapToInt(List::size).max().orElse(0);
      for (int line = 0; line < height; line++) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
          String piece = line < cells.get(i).size() ? cells.get(i).get(line) : "";
          text.append(piece).append(" ".repeat(widths[i] - piece.length() + GAP));
        }
        lines.add(text.toString().stripTrailing());
      }
    }
    return lines;
  }

  /**
   * Returns the widths of the columns. Headings are never broken. A word is broken only if it is
   * long, or if the columns would not fit otherwise.
   */
  private int[] widths(int width) {
    int[] whole = most(rows, String::length);
    if (left(width, whole) >= 0) {
      return whole;
    }
    int[] headings = most(rows.subList(0, 1), String::length);
    int[] words = most(rows, cell -> Math.min(longestWord(cell), width / 3));
    if (whole[0] > width / 2) {
      whole[0] = Math.max(headings[0], width / 3);
    } else {
      headings[0] = whole[0];
    }
    int[] widths = whole.clone();
    narrow(width, widths, whole, i -> Math.max(headings[i], words[i]));
    narrow(width, widths, whole, i -> headings[i]);
    return widths;
  }

  /**
   * Narrows columns until all columns fit. Each step narrows the column that has lost the smallest
   * share of its full width.
   */
  private static void narrow(int width, int[] widths, int[] whole, IntUnaryOperator least) {
    OptionalInt next;
    do {
      next =
          IntStream.range(0, widths.length)
              .filter(i -> left(width, widths) < 0 && widths[i] > least.applyAsInt(i))
              .reduce(
                  (i, other) -> whole[i] * widths[other] <= whole[other] * widths[i] ? i : other);
      next.ifPresent(i -> widths[i]--);
    } while (next.isPresent());
  }

  /** Returns, for each column, the largest value of {@code measure} for its cells. */
  private static int[] most(List<List<String>> rows, ToIntFunction<String> measure) {
    return IntStream.range(0, rows.get(0).size())
        .map(i -> rows.stream().mapToInt(row -> measure.applyAsInt(row.get(i))).max().orElse(0))
        .toArray();
  }

  private static int longestWord(String text) {
    return pieces(text, 1, Integer.MAX_VALUE).stream().mapToInt(String::length).max().orElse(0);
  }

  private static int left(int width, int[] widths) {
    return width - Arrays.stream(widths).sum() - GAP * (widths.length - 1);
  }

  /**
   * Splits the text after commas and at spaces. A path is also split before slashes.
   *
   * @param width maximum length of a piece, if the text can be split there
   * @param most maximum length of any piece
   */
  private static List<String> pieces(String text, int width, int most) {
    List<String> pieces = new ArrayList<>();
    int from = 0;
    while (text.length() - from > width) {
      int end = from;
      for (int i = from + 1; i < text.length() && (i - from <= width || end == from); i++) {
        if (breaks(text, i)) {
          end = i;
        }
      }
      if (end == from) {
        end = text.length();
      }
      if (end - from > most) {
        end =
            from + most - (most > 1 && Character.isLowSurrogate(text.charAt(from + most)) ? 1 : 0);
      }
      pieces.add(text.substring(from, end).strip());
      from = end;
    }
    if (from < text.length() || pieces.isEmpty()) {
      pieces.add(text.substring(from).strip());
    }
    return pieces;
  }

  private static boolean breaks(String text, int at) {
    char before = text.charAt(at - 1);
    return before == ','
        || before == ' '
        || text.charAt(at) == ' '
        || (text.charAt(0) == '/' && text.charAt(at) == '/');
  }
}
