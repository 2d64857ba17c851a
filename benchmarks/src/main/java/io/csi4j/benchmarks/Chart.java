package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart with the rows of a page as pairs of bars: the library's bar above the limit's bar, each
 * with its range. The limit's bar is one unit long in every row. Rows that do not fit on one screen
 * are divided among several charts.
 */
public final class Chart {

  private static final int MOST_ROWS = 14;
  private static final int LEFT = 12;
  private static final int BARS = 520;
  private static final int TEXTS = LEFT + BARS + 14;
  private static final int RIGHT = 928;
  private static final int TOP = 84;
  private static final int ROW = 46;
  private static final int BAR = 10;

  /**
   * Maximum length of a bar, in units. Longer bars are cut off, because otherwise one long bar
   * would shorten all other bars.
   */
  private static final double MOST = 4;

  /**
   * The light and the dark scheme both set a background, because the page around a chart may have
   * any background.
   */
  private static final String HEAD =
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 HEIGHT" width="940" height="HEIGHT" font-family="sans-serif" font-size="12">
      <style>
      .paper { fill: #fff } text { fill: #1c1f24 } .less { fill: #5a6472; font-size: 11px } .strong { font-weight: bold }
      .reached { fill: #3f74b5 } .missed { fill: #c0504d } .noise { fill: #b98a2f } .other { fill: #a9b1bc }
      .grid { stroke: #d7dbe0 } .unit, .spread { stroke: #1c1f24; stroke-width: 1.5; fill: none } .break { stroke: #fff; stroke-width: 3 }
      @media (prefers-color-scheme: dark) {
      .paper { fill: #14171c } text { fill: #e6e8eb } .less { fill: #9aa4b2 }
      .reached { fill: #5b8fd0 } .missed { fill: #d9665f } .noise { fill: #cfa14a } .other { fill: #545d6a }
      .grid { stroke: #333a44 } .unit, .spread { stroke: #e6e8eb } .break { stroke: #14171c }
      }
      </style>
      <rect class="paper" width="940" height="HEIGHT"/>
      <text x="12" y="22" font-size="15" class="strong">TITLE</text>
      <text x="12" y="40" class="less">Shorter is better. The grey bar is what csi4j is compared with, and is one unit long. \
      A whisker contains the median with 95 % confidence.</text>
      <rect class="reached" x="12" y="52" width="12" height="10"/><text x="29" y="61" class="less">csi4j, goal reached or none</text>
      <rect class="noise" x="190" y="52" width="12" height="10"/><text x="207" y="61" class="less">within noise of its goal</text>
      <rect class="missed" x="345" y="52" width="12" height="10"/><text x="362" y="61" class="less">goal missed</text>
      <rect class="other" x="445" y="52" width="12" height="10"/><text x="462" y="61" class="less">compared with</text>
      """;

  private final String title;
  private final List<Row> rows;
  private final double end;

  private Chart(String title, List<Row> rows) {
    this.title = title;
    this.rows = rows;
    double most = rows.stream().mapToDouble(row -> ratio(row).high()).max().orElse(1);
    end = Math.max(1.5, Math.min(MOST, Math.ceil(most * 2) / 2));
  }

  /**
   * Draws the charts of families again, from their tables. The arguments are the directory and the
   * families.
   */
  public static void main(String[] words) throws IOException {
    Path directory = Path.of(words[0]);
    for (String family : List.of(words).subList(1, words.length)) {
      Path page = directory.resolve(family + ".md");
      if (Files.exists(page)) {
        String title = Files.readAllLines(page).get(0).replaceFirst("^# ", "");
        write(directory, family, title, Row.read(directory.resolve(family + ".tsv")));
      }
    }
  }

  /**
   * Writes the charts of these rows, and returns the file names. Writes no chart if no row has a
   * limit.
   */
  static List<String> write(Path directory, String name, String title, List<Row> all)
      throws IOException {
    try (DirectoryStream<Path> old = Files.newDirectoryStream(directory, name + "{,-?}.svg")) {
      for (Path file : old) {
        Files.delete(file);
      }
    }
    List<Row> rows = all.stream().filter(row -> row.ratio().isPresent()).toList();
    List<String> files = new ArrayList<>();
    int count = (rows.size() + MOST_ROWS - 1) / MOST_ROWS;
    for (int i = 0; i < count; i++) {
      String file = name + (i == 0 ? "" : "-" + (i + 1)) + ".svg";
      String part = count == 1 ? title : title + ", " + (i + 1) + " of " + count;
      Files.writeString(
          directory.resolve(file),
          new Chart(part, rows.subList(rows.size() * i / count, rows.size() * (i + 1) / count))
              .drawn());
      files.add(file);
    }
    return files;
  }

  private String drawn() {
    int bottom = TOP + rows.size() * ROW;
    StringBuilder out = new StringBuilder();
    out.append(
        HEAD.replace("HEIGHT", Integer.toString(bottom + 30)).replace("TITLE", escaped(title)));
    for (double units = 0; units <= end; units += end > 2 ? 1 : 0.5) {
      out.append(
          text(
              "<path class=\"%s\" d=\"M%.1f %dV%d\"/>"
                  + "<text x=\"%2$.1f\" y=\"%d\" text-anchor=\"middle\" class=\"less\">%s x</text>%n",
              units == 1 ? "unit" : "grid", at(units), TOP - 6, bottom, bottom + 16, plain(units)));
    }
    for (int i = 0; i < rows.size(); i++) {
      draw(rows.get(i), TOP + i * ROW, out);
    }
    return out.append("</svg>\n").toString();
  }

  private void draw(Row row, int y, StringBuilder out) {
    Estimate theirs = row.theirs().orElseThrow();
    out.append(
        text(
            "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\"/>"
                + "<text x=\"%1$d\" y=\"%d\"><tspan class=\"strong\">%s</tspan>"
                + "<tspan class=\"less\">  %sbeside %s</tspan></text>"
                + "<text x=\"%d\" y=\"%4$d\" text-anchor=\"end\" class=\"strong\">%s x</text>%n",
            LEFT,
            y,
            RIGHT - LEFT,
            y + 12,
            escaped(row.operation()),
            row.size() == Row.NO_SIZE ? "· " : text(" %,d · ", row.size()),
            escaped(row.limit()),
            RIGHT,
            ratio(row).asRatio()));
    bar(y + 18, style(row), ratio(row), "csi4j " + row.ours().text(row.unit()), out);
    Estimate unit = new Estimate(1, theirs.low() / theirs.value(), theirs.high() / theirs.value());
    bar(y + 31, "other", unit, theirs.text(row.unit()), out);
  }

  private void bar(int y, String style, Estimate length, String figure, StringBuilder out) {
    out.append(
        text(
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
            style, LEFT, y, Math.max(1, at(length.value()) - LEFT), BAR));
    if (length.value() > end) {
      double last = at(end);
      out.append(
          text(
              "<path class=\"break\" d=\"M%.1f %dl4 -14M%.1f %2$dl4 -14\"/>",
              last - 30, y + 12, last - 22));
    } else if (length.high() > length.low()) {
      double low = at(length.low());
      double high = at(length.high());
      out.append(
          text("<path class=\"spread\" d=\"M%.1f %dH%.1fM%1$.1f %dv6", low, y + 5, high, y + 2));
      // A whisker that reaches beyond the chart has no end mark.
      out.append(length.high() <= end ? text("M%.1f %dv6\"/>", high, y + 2) : "\"/>");
    }
    out.append(text("<text x=\"%d\" y=\"%d\" class=\"less\">%s</text>%n", TEXTS, y + 9, figure));
  }

  private static Estimate ratio(Row row) {
    return row.ratio().orElseThrow();
  }

  private static String style(Row row) {
    return switch (row.verdict().orElse(Verdict.REACHED)) {
      case REACHED -> "reached";
      case MISSED -> "missed";
      case WITHIN_NOISE -> "noise";
    };
  }

  /** Returns the horizontal position for this number of units. */
  private double at(double units) {
    return LEFT + Math.min(units, end) / end * BARS;
  }

  private static String plain(double units) {
    return units == Math.rint(units) ? Long.toString(Math.round(units)) : Double.toString(units);
  }

  private static String text(String format, Object... parts) {
    return String.format(Locale.ROOT, format, parts);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
