package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A family's rows as a table and a chart, with the machine that they are of. */
public final class Report {

  private static final int BAR = 14;
  private static final int LABELS = 330;
  private static final int SCALE = 180;

  private final String title;
  private final String introduction;
  private final List<Comparison> rows;

  /** A report of these rows. */
  public Report(String title, String introduction, List<Comparison> rows) {
    this.title = title;
    this.introduction = introduction;
    this.rows = List.copyOf(rows);
  }

  /** Writes {@code NAME.md} and {@code NAME.svg}. */
  public void write(Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve(name + ".md"), table(name));
    Files.writeString(directory.resolve(name + ".svg"), chart());
  }

  private String table(String name) throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("# ").append(title).append("\n\n").append(introduction).append("\n\n");
    out.append(machine()).append("\n\n![ratios](").append(name).append(".svg)\n\n");
    out.append(
        "| operation | size | csi4j best | median (10 % – 90 %) | limit | limit best |"
            + " median (10 % – 90 %) | ratio of bests | of medians | goal |\n");
    out.append("|---|--:|--:|--:|---|--:|--:|--:|--:|---|\n");
    for (Comparison row : rows) {
      Figures theirs = row.theirs();
      out.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |%n",
              row.operation(),
              row.size(),
              time(row.ours().least()),
              spread(row.ours()),
              row.limit(),
              theirs.isEmpty() ? "-" : time(theirs.least()),
              theirs.isEmpty() ? "-" : spread(theirs),
              theirs.isEmpty() ? "-" : ratio(row.ratio()),
              theirs.isEmpty() ? "-" : ratio(row.medianRatio()),
              row.verdict()));
    }
    return out.toString();
  }

  private static String ratio(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }

  private static String spread(Figures figures) {
    return time(figures.median()) + " (" + time(figures.low()) + " – " + time(figures.high()) + ")";
  }

  /** A time in the unit that suits it. */
  static String time(double nanos) {
    if (nanos < 1e4) {
      return String.format(Locale.ROOT, "%.0f ns", nanos);
    }
    return nanos < 1e6
        ? String.format(Locale.ROOT, "%.1f µs", nanos / 1e3)
        : String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }

  private static String machine() throws IOException {
    return "JDK "
        + System.getProperty("java.runtime.version")
        + ", Linux "
        + System.getProperty("os.version")
        + " "
        + System.getProperty("os.arch")
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " cores ("
        + processor()
        + "), load "
        + Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[0]
        + " at the end.";
  }

  private static String processor() throws IOException {
    return Files.readString(Path.of("/proc/cpuinfo"), StandardCharsets.ISO_8859_1)
        .lines()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown model");
  }

  /** One bar for each ratio; the line is where the limit is. */
  private String chart() {
    List<Comparison> compared = rows.stream().filter(row -> !row.theirs().isEmpty()).toList();
    int height = 40 + compared.size() * (BAR + 6);
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"11\">%n"
                + "<rect width=\"900\" height=\"%d\" fill=\"white\"/>%n"
                + "<text x=\"10\" y=\"18\" font-size=\"14\">%s: time of csi4j / time of the"
                + " limit</text>%n",
            height,
            height,
            escaped(title)));
    int y = 32;
    for (Comparison row : compared) {
      double ratio = row.ratio();
      boolean missed = row.verdict().contains("missed");
      out.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %d</text>"
                  + "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" fill=\"%s\"/>"
                  + "<text x=\"%.0f\" y=\"%d\">%.2f</text>%n",
              LABELS - 8,
              y + BAR - 3,
              escaped(row.operation() + " / " + row.limit()),
              row.size(),
              LABELS,
              y,
              Math.min(ratio, 2.8) * SCALE,
              BAR,
              missed ? "#c0504d" : "#4f81bd",
              LABELS + Math.min(ratio, 2.8) * SCALE + 4,
              y + BAR - 3,
              ratio));
      y += BAR + 6;
    }
    out.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%d\" x2=\"%d\" y1=\"26\" y2=\"%d\" stroke=\"black\"/>%n</svg>%n",
            LABELS + SCALE,
            LABELS + SCALE,
            y));
    return out.toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
