package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A family's rows as a table and a chart, with the machine that they are of. */
public final class Report {

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
    Kept last = Kept.of(name);
    boolean drawn = rows.stream().anyMatch(row -> !row.theirs().isEmpty());
    Files.writeString(directory.resolve(name + ".md"), page(name, last, drawn));
    Kept.write(directory.resolve(name + ".tsv"), rows);
    Chart.write(directory, name, title);
    rows.forEach(System.out::println);
  }

  private String page(String name, Kept last, boolean drawn) throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("# ").append(title).append("\n\n").append(introduction).append("\n\n");
    out.append(Machine.text()).append("\n\n");
    if (drawn) {
      out.append("![csi4j beside its limits](").append(name).append(".svg)\n\n");
    }
    out.append(
        "| operation | size | csi4j best | median (10 % – 90 %) | limit | limit best |"
            + " median (10 % – 90 %) | ratio (10 % – 90 %) | of bests | "
            + last.day()
            + " | goal |\n");
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
}
