package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A family's rows as a table and a chart, with the machine that they are of. */
public final class Report {

  /** Names the directory with the tables of the last committed report. */
  private static final String LAST = "csi4j.benchmarks.last";

  private static final int BAR = 14;
  private static final int LABELS = 430;
  private static final int SCALE = 160;

  private final String title;
  private final String introduction;
  private final List<Comparison> rows;
  private final List<String> notes = new ArrayList<>();

  /** A report of these rows. */
  public Report(String title, String introduction, List<Comparison> rows) {
    this.title = title;
    this.introduction = introduction;
    this.rows = List.copyOf(rows);
  }

  /** Adds a paragraph below the table. */
  public Report note(String text) {
    notes.add(text);
    return this;
  }

  /** Writes {@code NAME.md}, {@code NAME.svg} and {@code NAME.tsv}. */
  public void write(Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    Kept last = Kept.read(Path.of(System.getProperty(LAST, "last")).resolve(name + ".tsv"));
    boolean drawn = rows.stream().anyMatch(row -> !row.theirs().isEmpty());
    Files.writeString(directory.resolve(name + ".md"), page(name, last, drawn));
    Kept.write(directory.resolve(name + ".tsv"), rows);
    if (drawn) {
      Files.writeString(directory.resolve(name + ".svg"), chart());
    }
    rows.forEach(System.out::println);
  }

  private String page(String name, Kept last, boolean drawn) throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("# ").append(title).append("\n\n").append(introduction).append("\n\n");
    out.append(Machine.text()).append("\n\n");
    if (drawn) {
      out.append("![ratios](").append(name).append(".svg)\n\n");
    }
    out.append(
        "| operation | size | csi4j best | median (10 % – 90 %) | limit | limit best |"
            + " median (10 % – 90 %) | ratio (10 % – 90 %) | of bests | before | goal |\n");
    out.append("|---|--:|--:|--:|---|--:|--:|--:|--:|--:|---|\n");
    for (Comparison row : rows) {
      Figures theirs = row.theirs();
      Unit unit = row.unit();
      out.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s |%n",
              row.operation(),
              row.size(),
              unit.text(row.ours().least()),
              spread(row.ours(), unit),
              row.limit(),
              theirs.isEmpty() ? "" : unit.text(theirs.least()),
              theirs.isEmpty() ? "" : spread(theirs, unit),
              theirs.isEmpty() ? "" : ratio(row.ratio()) + spread(row.ratios()),
              theirs.isEmpty() ? "" : ratio(row.bestRatio()),
              last.since(row).orElse(""),
              row.verdict()));
    }
    notes.forEach(note -> out.append('\n').append(note).append('\n'));
    return out.toString();
  }

  private static String ratio(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }

  private static String spread(Figures ratios) {
    return ratios.count() < 2
        ? ""
        : String.format(Locale.ROOT, " (%.2f – %.2f)", ratios.low(), ratios.high());
  }

  private static String spread(Figures figures, Unit unit) {
    return figures.count() == 1
        ? ""
        : unit.text(figures.median())
            + " ("
            + unit.text(figures.low())
            + " – "
            + unit.text(figures.high())
            + ")";
  }

  /** One bar for each ratio; the line is where the limit is. */
  private String chart() {
    List<Comparison> compared = rows.stream().filter(row -> !row.theirs().isEmpty()).toList();
    int height = 40 + compared.size() * (BAR + 6);
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"940\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"11\">%n"
                + "<rect width=\"940\" height=\"%d\" fill=\"white\"/>%n"
                + "<text x=\"10\" y=\"18\" font-size=\"14\">%s: csi4j / its limit</text>%n",
            height,
            height,
            escaped(title)));
    int y = 32;
    for (Comparison row : compared) {
      double ratio = row.judgedRatio();
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
