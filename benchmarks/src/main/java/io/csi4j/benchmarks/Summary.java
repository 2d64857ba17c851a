package io.csi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** One page for all families: which goals there are, and what came out. DIRECTORY FAMILY... */
public final class Summary {

  private static final int OURS = 5;
  private static final int THEIRS = 9;
  private static final int VERDICT = 12;
  private static final int RATIO = 13;

  private Summary() {}

  /** Writes {@code README.md} from the tables that are there. */
  public static void main(String[] words) throws IOException {
    Path directory = Path.of(words[0]);
    StringBuilder out =
        new StringBuilder(
            """
            # Results

            Written by `benchmarks/run`; how to read them is told in [its README](../README.md). The rows with goals, of all families, \
            each measured when its own page says. All figures are medians. The last column is the ratio, or the figure of csi4j, of an \
            earlier day.

            | family | operation | size | beside | csi4j | that | ratio | goal | earlier |
            |---|---|--:|---|--:|--:|--:|---|---|
            """);
    int reached = 0;
    int missed = 0;
    for (String family : List.of(words).subList(1, words.length)) {
      Kept earlier = Kept.of(family);
      for (List<String> cells : Kept.cells(directory.resolve(family + ".tsv"))) {
        String verdict = cells.get(VERDICT);
        if (verdict.isEmpty()) {
          continue;
        }
        if (verdict.contains("missed")) {
          missed++;
        } else {
          reached++;
        }
        Unit unit = Unit.valueOf(cells.get(3));
        out.append("| [").append(family).append("](").append(family).append(".md) | ");
        out.append(cells.get(0)).append(" | ").append(cells.get(2)).append(" | ");
        out.append(cells.get(1)).append(" | ").append(text(unit, cells.get(OURS))).append(" | ");
        out.append(text(unit, cells.get(THEIRS)))
            .append(" | ")
            .append(ratio(cells.get(RATIO)))
            .append(" | ")
            .append(verdict)
            .append(" | ")
            .append(earlier.then(cells).map(then -> then + " on " + earlier.day()).orElse(""))
            .append(" |\n");
      }
    }
    out.append("\nGoals reached: ").append(reached).append(", missed: ").append(missed);
    out.append(".\n");
    Files.writeString(directory.resolve("README.md"), out);
    System.out.printf("Goals reached: %d, missed: %d.%n", reached, missed);
  }

  private static String ratio(String cell) {
    return cell.isEmpty() ? "" : String.format(Locale.ROOT, "%.2f", Double.parseDouble(cell));
  }

  private static String text(Unit unit, String cell) {
    return cell.isEmpty() ? "" : unit.text(Double.parseDouble(cell));
  }
}
