package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The rows of a report of another day, to compare a new one with. */
final class Kept {

  /** Of a ratio; what is below is taken for noise. */
  private static final double NOTABLE = 0.1;

  private static final String HEAD =
      "operation\tlimit\tsize\tunit\tours_best\tours_median\tours_low\tours_high"
          + "\ttheirs_best\ttheirs_median\ttheirs_low\ttheirs_high\tverdict"
          + "\tratio\tratio_low\tratio_high";

  private static final int UNIT = 3;
  private static final int OURS_BEST = 4;
  private static final int OURS_MEDIAN = 5;
  private static final int RATIO = 13;

  /** Names the directory with the tables of another day. */
  private static final String LAST = "csi4j.benchmarks.last";

  private final String day;
  private final Map<String, List<String>> rows;

  private Kept(String day, Map<String, List<String>> rows) {
    this.day = day;
    this.rows = rows;
  }

  /** What is kept of this family, which {@link #write} wrote; nothing if there is none. */
  static Kept of(String family) throws IOException {
    Path directory = Path.of(System.getProperty(LAST, "last"));
    Map<String, List<String>> rows = new HashMap<>();
    for (List<String> cells : cells(directory.resolve(family + ".tsv"))) {
      rows.put(key(cells.get(0), cells.get(1), cells.get(2)), cells);
    }
    Path day = directory.resolve(family + ".day");
    return new Kept(Files.exists(day) ? Files.readString(day).strip() : "before", rows);
  }

  /** The day that it is of. */
  String day() {
    return day;
  }

  /** The ratio of the row with these cells on that day, or its median; empty if there is none. */
  Optional<String> then(List<String> cells) {
    return Optional.ofNullable(rows.get(key(cells.get(0), cells.get(1), cells.get(2))))
        .map(
            then ->
                then.get(RATIO).isEmpty()
                    ? Unit.valueOf(then.get(UNIT)).text(Double.parseDouble(then.get(OURS_MEDIAN)))
                    : String.format(Locale.ROOT, "%.2f", Double.parseDouble(then.get(RATIO))));
  }

  /** The lines of a file as cells, without the head; none if it is a table of another kind. */
  static List<List<String>> cells(Path file) throws IOException {
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    if (lines.isEmpty() || !lines.get(0).equals(HEAD)) {
      return List.of();
    }
    return lines.stream().skip(1).map(line -> List.of(line.split("\t", -1))).toList();
  }

  private static String key(String operation, String limit, String size) {
    return operation + "\t" + limit + "\t" + size;
  }

  /** Keeps these rows for later. */
  static void write(Path file, List<Comparison> rows) throws IOException {
    List<String> lines = new ArrayList<>(List.of(HEAD));
    for (Comparison row : rows) {
      lines.add(
          String.join(
              "\t",
              key(row.operation(), row.limit(), Integer.toString(row.size())),
              row.unit().name(),
              numbers(row.ours()),
              numbers(row.theirs()),
              row.verdict(),
              ratios(row)));
    }
    Files.write(file, lines);
  }

  /** The ratio that counts, and its spread if there is one. */
  private static String ratios(Comparison row) {
    if (row.theirs().isEmpty()) {
      return "\t\t";
    }
    Figures spread = row.ratios();
    String ratio = String.format(Locale.ROOT, "%.3f", row.judgedRatio());
    return spread.isEmpty()
        ? ratio + "\t\t"
        : String.format(Locale.ROOT, "%s\t%.3f\t%.3f", ratio, spread.low(), spread.high());
  }

  private static String numbers(Figures figures) {
    return figures.isEmpty()
        ? "\t\t\t"
        : String.format(
            Locale.ROOT,
            "%.2f\t%.2f\t%.2f\t%.2f",
            figures.least(),
            figures.median(),
            figures.low(),
            figures.high());
  }

  /**
   * What has become of a row since: its ratio, or its figure if it has no limit, beside the earlier
   * one; empty if there is none.
   */
  Optional<String> since(Comparison row) {
    List<String> before = rows.get(key(row.operation(), row.limit(), Integer.toString(row.size())));
    if (before == null) {
      return Optional.empty();
    }
    boolean compared = !row.theirs().isEmpty() && !before.get(RATIO).isEmpty();
    double then = Double.parseDouble(before.get(compared ? RATIO : OURS_BEST));
    double now = compared ? row.judgedRatio() : row.ours().least();
    String text = compared ? String.format(Locale.ROOT, "%.2f", then) : row.unit().text(then);
    if (now > then * (1 + NOTABLE)) {
      return Optional.of(text + " **worse**");
    }
    return Optional.of(now < then * (1 - NOTABLE) ? text + " better" : text);
  }
}
