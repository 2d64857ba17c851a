package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The table of a family from an earlier day. The script {@code benchmarks/run} extracts it from the
 * Git history.
 */
final class Earlier {

  /** The system property with the directory of the earlier tables. */
  private static final String DIRECTORY = "csi4j.benchmarks.last";

  private final String day;
  private final List<Row> rows;

  private Earlier(String day, List<Row> rows) {
    this.day = day;
    this.rows = rows;
  }

  static Earlier of(String family) throws IOException {
    Path directory = Path.of(System.getProperty(DIRECTORY, "last"));
    Path day = directory.resolve(family + ".day");
    return new Earlier(
        Files.exists(day) ? Files.readString(day).strip() : "earlier",
        Row.read(directory.resolve(family + ".tsv")));
  }

  /** Returns the day of the table. */
  String day() {
    return day;
  }

  /**
   * Returns the ratio of that day, or the library's figure if the row has no limit. If the ranges
   * of the two days do not overlap, the text also states whether the newer result is better or
   * worse.
   */
  Optional<String> of(Row row) {
    return rows.stream().filter(row::isOfSameAs).findFirst().map(then -> text(then, row));
  }

  private static String text(Row then, Row now) {
    boolean isCompared = then.ratio().isPresent() && now.ratio().isPresent();
    Estimate before = isCompared ? then.ratio().get() : then.ours();
    Estimate after = isCompared ? now.ratio().get() : now.ours();
    String text =
        isCompared
            ? String.format(Locale.ROOT, "%.2f", before.value())
            : then.unit().text(before.value());
    if (after.low() > before.high()) {
      return text + " **worse**";
    }
    return after.high() < before.low() ? text + " better" : text;
  }
}
