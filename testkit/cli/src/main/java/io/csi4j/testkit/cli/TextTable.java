package io.csi4j.testkit.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/** Rows for a person, whose columns stand below each other. */
final class TextTable {

  private static final int GAP = 2;

  private final List<List<String>> rows = new ArrayList<>();

  /** The names of the columns. */
  TextTable(String... heading) {
    row(heading);
  }

  /** A row; each text is made fit for one line. */
  TextTable row(String... cells) {
    rows.add(Arrays.stream(cells).map(OneLine::of).toList());
    return this;
  }

  /** Leaves a column out if no row has a text in it. */
  TextTable withoutIfEmpty(String heading) {
    int column = rows.get(0).indexOf(heading);
    if (rows.stream().skip(1).allMatch(row -> row.get(column).isEmpty())) {
      rows.replaceAll(
          row ->
              IntStream.range(0, row.size()).filter(i -> i != column).mapToObj(row::get).toList());
    }
    return this;
  }

  /** Prints the rows, in the width of the screen. */
  void print(Console console) {
    List<String> lines = lines(console.screen().width().getAsInt());
    console.print(console.screen().heading(lines.get(0)));
    lines.stream().skip(1).forEach(console::print);
  }

  /**
   * Returns the lines; those of the heading alone if there is no row. Where a row is wider than
   * {@code width}, a first cell that is too long has a line for itself, so that it can be copied,
   * and other cells go on in further lines. Nothing is cut.
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
   * The widths of the columns. No heading is broken, and words of a cell only where its row would
   * take many more lines otherwise.
   */
  private int[] widths(int width) {
    int[] whole = most(rows, String::length);
    if (left(width, whole) >= 0) {
      return whole;
    }
    int[] words = most(rows, TextTable::longestWord);
    if (whole[0] > width / 2) {
      whole[0] = Math.max(rows.get(0).get(0).length(), width / 3);
    }
    words[0] = whole[0];
    int fewest = height(narrowed(width, whole, words, 0));
    int cap = Arrays.stream(words).max().orElse(0);
    int[] widths = narrowed(width, whole, words, cap);
    while (cap > 0 && (left(width, widths) < 0 || height(widths) > fewest * 3 / 2)) {
      cap--;
      widths = narrowed(width, whole, words, cap);
    }
    return widths;
  }

  /**
   * The widths with which cells take as few lines as possible, if words up to a length are kept.
   */
  private int[] narrowed(int width, int[] whole, int[] words, int longest) {
    int[] least = atLeast(most(rows.subList(0, 1), String::length), words, longest);
    int[] widths = least;
    for (int height = 2; height <= Arrays.stream(whole).max().orElse(0); height++) {
      int lines = height;
      int[] some = Arrays.stream(whole).map(each -> (each + lines - 1) / lines).toArray();
      if (left(width, atLeast(least, some, width)) >= 0) {
        widths = atLeast(least, some, width);
        break;
      }
    }
    for (int left = left(width, widths); left > 0; left--) {
      int narrowest = 0;
      for (int i = 1; i < widths.length; i++) {
        // Compares how often each column would have to be broken.
        if (whole[i] * widths[narrowest] > whole[narrowest] * widths[i]) {
          narrowest = i;
        }
      }
      widths[narrowest]++;
    }
    return widths;
  }

  /** The lines that the highest row takes, without the line of a long first cell. */
  private int height(int[] widths) {
    return rows.stream()
        .flatMapToInt(
            row ->
                IntStream.range(1, widths.length)
                    .map(i -> pieces(row.get(i), widths[i], widths[i]).size()))
        .max()
        .orElse(0);
  }

  /** The largest measure of a cell in each column. */
  private static int[] most(List<List<String>> rows, ToIntFunction<String> measure) {
    return IntStream.range(0, rows.get(0).size())
        .map(i -> rows.stream().mapToInt(row -> measure.applyAsInt(row.get(i))).max().orElse(0))
        .toArray();
  }

  /** These widths, none of them above {@code cap}, and at least those. */
  private static int[] atLeast(int[] least, int[] widths, int cap) {
    return IntStream.range(0, least.length)
        .map(i -> Math.max(least[i], Math.min(cap, widths[i])))
        .toArray();
  }

  private static int longestWord(String text) {
    return pieces(text, 1, Integer.MAX_VALUE).stream().mapToInt(String::length).max().orElse(0);
  }

  private static int left(int width, int[] widths) {
    return width - Arrays.stream(widths).sum() - GAP * (widths.length - 1);
  }

  /**
   * The text in pieces, broken after a comma or a space, and in a path before a slash.
   *
   * @param width maximum length of a piece that can be broken
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
