package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A comparison as stored in a table. Pages and charts are generated from tables.
 *
 * @param operation the operation
 * @param limit the name of the limit; empty if there is none
 * @param size the number of objects, such as volumes
 * @param unit the unit of the figures
 * @param ours the library's median
 * @param theirs the limit's median, if there is one
 * @param ratio the library's median divided by the limit's, if there is one
 * @param goal the goal as text; empty if there is none
 * @param verdict the result of the goal, if there is one
 */
record Row(
    String operation,
    String limit,
    int size,
    Unit unit,
    Estimate ours,
    Optional<Estimate> theirs,
    Optional<Estimate> ratio,
    String goal,
    Optional<Verdict> verdict) {

  /** The size of a row whose operation already names the size. */
  static final int NO_SIZE = 0;

  private static final String HEAD =
      "operation\tlimit\tsize\tunit\tours\tours_low\tours_high\ttheirs\ttheirs_low\ttheirs_high"
          + "\tratio\tratio_low\tratio_high\tgoal\tverdict";

  static Row of(Comparison row) {
    boolean isAlone = row.theirs().isEmpty();
    return new Row(
        row.operation(),
        row.limit(),
        row.size(),
        row.unit(),
        row.ours().estimate(),
        isAlone ? Optional.empty() : Optional.of(row.theirs().estimate()),
        isAlone ? Optional.empty() : Optional.of(row.ratio()),
        row.goal().map(goal -> goal.text(row.unit())).orElse(""),
        row.verdict());
  }

  /** Writes a table. */
  static void write(Path file, List<Row> rows) throws IOException {
    Files.write(file, Stream.concat(Stream.of(HEAD), rows.stream().map(Row::line)).toList());
  }

  /** Reads a table. Returns no rows if there is no table, or if it has an older format. */
  static List<Row> read(Path file) throws IOException {
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    return lines.isEmpty() || !lines.get(0).equals(HEAD)
        ? List.of()
        : lines.stream().skip(1).map(line -> parse(line.split("\t", -1))).toList();
  }

  /** Whether another row, for example from another day, is of the same measurement. */
  boolean isOfSameAs(Row other) {
    return operation.equals(other.operation) && limit.equals(other.limit) && size == other.size;
  }

  /** Returns the row with another name, which includes the size. */
  Row named(String text) {
    return new Row(text, limit, NO_SIZE, unit, ours, theirs, ratio, goal, verdict);
  }

  private String line() {
    return String.join(
        "\t",
        operation,
        limit,
        Integer.toString(size),
        unit.name(),
        cells(Optional.of(ours)),
        cells(theirs),
        cells(ratio),
        goal,
        verdict.map(Verdict::name).orElse(""));
  }

  private static Row parse(String[] cells) {
    return new Row(
        cells[0],
        cells[1],
        Integer.parseInt(cells[2]),
        Unit.valueOf(cells[3]),
        estimate(cells, 4).orElseThrow(),
        estimate(cells, 7),
        estimate(cells, 10),
        cells[13],
        cells[14].isEmpty() ? Optional.empty() : Optional.of(Verdict.valueOf(cells[14])));
  }

  private static String cells(Optional<Estimate> estimate) {
    return estimate
        .map(it -> String.format(Locale.ROOT, "%.4f\t%.4f\t%.4f", it.value(), it.low(), it.high()))
        .orElse("\t\t");
  }

  private static Optional<Estimate> estimate(String[] cells, int at) {
    return cells[at].isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Estimate(
                Double.parseDouble(cells[at]),
                Double.parseDouble(cells[at + 1]),
                Double.parseDouble(cells[at + 2])));
  }
}
