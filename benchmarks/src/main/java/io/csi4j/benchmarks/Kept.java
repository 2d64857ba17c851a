package io.csi4j.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The rows of an earlier report, to compare a new one with. */
final class Kept {

  /** Of a ratio; what is below is taken for noise. */
  private static final double NOTABLE = 0.1;

  private static final String HEAD =
      "operation\tlimit\tsize\tunit\tours_best\tours_median\tours_low\tours_high"
          + "\ttheirs_best\ttheirs_median\ttheirs_low\ttheirs_high\tverdict";

  private final Map<String, double[]> bests;

  private Kept(Map<String, double[]> bests) {
    this.bests = bests;
  }

  /** What is kept in this file, which {@link #write} wrote; nothing if it is not there. */
  static Kept read(Path file) {
    Map<String, double[]> bests = new HashMap<>();
    for (List<String> cells : cells(file)) {
      bests.put(
          key(cells.get(0), cells.get(1), cells.get(2)),
          new double[] {number(cells.get(4)), number(cells.get(8))});
    }
    return new Kept(bests);
  }

  /** The lines of a file as cells, without the head. */
  static List<List<String>> cells(Path file) {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (var lines = Files.lines(file)) {
      return lines.skip(1).map(line -> List.of(line.split("\t", -1))).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double number(String cell) {
    return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell);
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
              row.verdict()));
    }
    Files.write(file, lines);
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
    double[] before = bests.get(key(row.operation(), row.limit(), Integer.toString(row.size())));
    if (before == null) {
      return Optional.empty();
    }
    boolean compared = !row.theirs().isEmpty() && !Double.isNaN(before[1]);
    double then = compared ? before[0] / before[1] : before[0];
    double now = compared ? row.ratio() : row.ours().least();
    String text = compared ? String.format(Locale.ROOT, "%.2f", then) : row.unit().text(then);
    if (now > then * (1 + NOTABLE)) {
      return Optional.of(text + " **worse**");
    }
    return Optional.of(now < then * (1 - NOTABLE) ? text + " better" : text);
  }
}
