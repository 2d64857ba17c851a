package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The rows of a family as a page, a table and charts, with a description of the machine. */
public final class Report {

  private final String title;
  private final String introduction;
  private final List<Comparison> rows;
  private final List<String> notes = new ArrayList<>();

  /** Creates a report of these rows. */
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

  /** Writes {@code NAME.md}, {@code NAME.tsv} and the charts. */
  public void write(Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    List<Row> kept = rows.stream().map(Row::of).toList();
    Row.write(directory.resolve(name + ".tsv"), kept);
    List<String> charts = Chart.write(directory, name, title, kept);
    Files.writeString(directory.resolve(name + ".md"), page(kept, charts, Earlier.of(name)));
    rows.forEach(System.out::println);
  }

  private String page(List<Row> kept, List<String> charts, Earlier earlier) throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("# ").append(title).append("\n\n").append(introduction).append("\n\n");
    out.append(Machine.text()).append("\n\n");
    for (String chart : charts) {
      out.append("![").append(title).append("](").append(chart).append(")\n\n");
    }
    out.append("| operation | size | csi4j | limit | its figure | ratio | ")
        .append(earlier.day())
        .append(" | goal | result |\n|---|--:|--:|---|--:|--:|--:|---|---|\n");
    for (Row row : kept) {
      out.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %s | %s | %s | %s | %s | %s | %s |%n",
              row.operation(),
              row.size(),
              row.ours().text(row.unit()),
              row.limit(),
              row.theirs().map(it -> it.text(row.unit())).orElse(""),
              row.ratio().map(Estimate::asRatio).orElse(""),
              earlier.of(row).orElse(""),
              row.goal(),
              row.verdict().map(Verdict::text).orElse("")));
    }
    notes.forEach(note -> out.append('\n').append(note).append('\n'));
    return out.toString();
  }
}
