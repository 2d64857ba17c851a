package io.csi4j.testkit.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows for a person, whose columns stand below each other. */
final class TextTable {

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

  /** The lines; those of the heading alone if there is no row. */
  List<String> lines() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
