package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The ratios of a family as bars, drawn from the table that is kept of it. DIRECTORY FAMILY... */
public final class Chart {

  private static final int LIMIT = 1;
  private static final int SIZE = 2;
  private static final int VERDICT = 12;
  private static final int RATIO = 13;
  private static final int LOW = 14;
  private static final int HIGH = 15;

  private static final int LABELS = 460;
  private static final int BARS = 400;
  private static final int TOP = 84;
  private static final int ROW = 34;
  private static final int BAR = 14;

  /** Longer bars are broken off: else one of them would make all others short. */
  private static final double MOST = 6;

  /** Colours of its own in both, as it stands on pages whose colours it does not know. */
  private static final String HEAD =
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 HEIGHT" width="940" height="HEIGHT" font-family="sans-serif" font-size="12">
      <style>
      .paper { fill: #fff } text { fill: #1c1f24 } .less { fill: #5a6472; font-size: 11px }
      .reached { fill: #4f81bd } .missed { fill: #c0504d }
      .grid { stroke: #d7dbe0 } .limit, .spread { stroke: #1c1f24; stroke-width: 1.5 } .break { stroke: #fff; stroke-width: 3 }
      .value { paint-order: stroke; stroke: #fff; stroke-width: 4 }
      @media (prefers-color-scheme: dark) {
      .paper { fill: #14171c } text { fill: #e6e8eb } .less { fill: #9aa4b2 }
      .reached { fill: #5b8fd0 } .missed { fill: #d9665f }
      .grid { stroke: #333a44 } .limit, .spread { stroke: #e6e8eb } .break, .value { stroke: #14171c }
      }
      </style>
      <rect class="paper" width="940" height="HEIGHT"/>
      <text x="10" y="20" font-size="15" font-weight="bold">TITLE</text>
      <text x="10" y="38" class="less">What csi4j needs, in times of what its limit needs, which is the grey line under each name. \
      Shorter is better.</text>
      <rect class="reached" x="10" y="50" width="12" height="12"/><text x="27" y="60" class="less">goal reached, or none</text>
      <rect class="missed" x="160" y="50" width="12" height="12"/><text x="177" y="60" class="less">goal missed</text>
      <path class="limit" d="M262 48v16"/><text x="271" y="60" class="less">the limit itself</text>
      <path class="spread" d="M366 56h20M366 52v8M386 52v8"/><text x="393" y="60" class="less">10 % to 90 % of all windows</text>
      <rect class="reached" x="560" y="50" width="24" height="12"/><path class="break" d="M567 64l4 -16M574 64l4 -16"/>\
      <text x="590" y="60" class="less">longer than can be drawn</text>
      """;

  private final String title;
  private final List<List<String>> rows;
  private final double end;

  private Chart(String title, List<List<String>> rows) {
    this.title = title;
    this.rows = rows.stream().filter(row -> !row.get(RATIO).isEmpty()).toList();
    double most =
        this.rows.stream()
            .mapToDouble(row -> Math.max(number(row, RATIO), number(row, HIGH)))
            .filter(times -> times <= MOST)
            .max()
            .orElse(1);
    boolean isBroken = this.rows.stream().anyMatch(row -> number(row, RATIO) > MOST);
    end = isBroken ? MOST : Math.max(1.5, Math.ceil(most * 2) / 2);
  }

  /** Draws the families' charts again, from their tables and the titles of their pages. */
  public static void main(String[] words) throws IOException {
    Path directory = Path.of(words[0]);
    for (String family : List.of(words).subList(1, words.length)) {
      Path page = directory.resolve(family + ".md");
      if (Files.exists(page)) {
        write(directory, family, Files.readAllLines(page).get(0).replaceFirst("^# ", ""));
      }
    }
  }

  /** Writes {@code NAME.svg} from {@code NAME.tsv}; nothing if no row of it has a limit. */
  static void write(Path directory, String name, String title) throws IOException {
    Chart chart = new Chart(title, Kept.cells(directory.resolve(name + ".tsv")));
    if (!chart.rows.isEmpty()) {
      Files.writeString(directory.resolve(name + ".svg"), chart.drawn());
    }
  }

  private String drawn() {
    int bottom = TOP + rows.size() * ROW;
    StringBuilder out = new StringBuilder();
    out.append(
        HEAD.replace("HEIGHT", Integer.toString(bottom + 34)).replace("TITLE", escaped(title)));
    double step = end > 3 ? 1 : 0.5;
    for (double times = 0; times <= end; times += step) {
      out.append(
          text(
              "<path class=\"grid\" d=\"M%.1f %dV%d\"/>"
                  + "<text x=\"%1$.1f\" y=\"%d\" text-anchor=\"middle\" class=\"less\">%s x</text>%n",
              at(times), TOP - 8, bottom, bottom + 16, plain(times)));
    }
    StringBuilder values = new StringBuilder();
    int y = TOP;
    for (List<String> row : rows) {
      double last = bar(row, y, out);
      values.append(
          text(
              "<text class=\"value\" x=\"%.1f\" y=\"%d\">%.2f x</text>%n",
              last + 6, y + 15, number(row, RATIO)));
      y += ROW;
    }
    out.append(text("<path class=\"limit\" d=\"M%.1f %dV%d\"/>%n", at(1), TOP - 8, bottom));
    return out.append(values).append("</svg>\n").toString();
  }

  /** Draws a row, and returns where it ends. */
  private double bar(List<String> row, int y, StringBuilder out) {
    double ratio = number(row, RATIO);
    boolean isBroken = ratio > end;
    out.append(
        text(
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %s</text>"
                + "<text x=\"%1$d\" y=\"%d\" text-anchor=\"end\" class=\"less\">%s</text>%n",
            LABELS, y + 11, escaped(row.get(0)), row.get(SIZE), y + 24, escaped(row.get(LIMIT))));
    out.append(
        text(
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
            row.get(VERDICT).contains("missed") ? "missed" : "reached",
            LABELS + 10,
            y + 4,
            at(ratio) - at(0),
            BAR));
    double last = at(ratio);
    if (isBroken) {
      out.append(
          text(
              "<path class=\"break\" d=\"M%.1f %dl4 -18M%.1f %2$dl4 -18\"/>",
              last - 30, y + 20, last - 22));
    } else if (!row.get(LOW).isEmpty()) {
      double low = at(number(row, LOW));
      double high = at(number(row, HIGH));
      out.append(
          text("<path class=\"spread\" d=\"M%.1f %dH%.1fM%1$.1f %dv6", low, y + 11, high, y + 8));
      // Without its end, it goes on.
      out.append(number(row, HIGH) <= end ? text("M%.1f %dv6\"/>", high, y + 8) : "\"/>");
      last = Math.max(last, high);
    }
    out.append('\n');
    return last;
  }

  /** Where so many times the limit are, from the left. */
  private double at(double times) {
    return LABELS + 10 + Math.min(times, end) / end * BARS;
  }

  private static double number(List<String> row, int column) {
    return row.get(column).isEmpty() ? 0 : Double.parseDouble(row.get(column));
  }

  private static String plain(double times) {
    return times == Math.rint(times) ? Long.toString(Math.round(times)) : Double.toString(times);
  }

  private static String text(String format, Object... parts) {
    return String.format(Locale.ROOT, format, parts);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
