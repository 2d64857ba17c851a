package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.MountRecord;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * What has to hold for any bytes that claim to be a table of mounts, in the form that drivers of
 * coverage-guided fuzzing call.
 */
public final class MountInfoFuzz {

  private static final String BOOT = "00000000-0000-4000-8000-000000000000";

  private MountInfoFuzz() {}

  /** Parses the bytes and throws if anything that has to hold does not. */
  public static void fuzzerTestOneInput(byte[] input) {
    byte[] before = input.clone();
    TableRows rows = MountInfoParser.parse(input, BOOT);
    hold(Arrays.equals(before, input), () -> "the input was written to");
    hold(
        rows.records().size() + rows.skipped() == rowsOf(input),
        () -> "not every row is a mount or skipped");

    List<String> other = PlainParser.parse(input);
    hold(
        PlainParser.words(rows).equals(other),
        () -> "another parser reads " + other + ", not " + rows);

    hold(inPieces(input).equals(rows), () -> "in pieces it is something else");

    for (MountRecord record : rows.records()) {
      byte[] row = RowText.row(record);
      if (row.length <= MountInfoParser.LONGEST_ROW) {
        TableRows again = MountInfoParser.parse(row, BOOT);
        hold(
            again.equals(new TableRows(List.of(record), 0)),
            () -> record + " is another when written and read again: " + again);
      }
    }
  }

  private static int rowsOf(byte[] input) {
    int rows = 0;
    for (byte b : input) {
      rows += b == '\n' ? 1 : 0;
    }
    return input.length > 0 && input[input.length - 1] != '\n' ? rows + 1 : rows;
  }

  /** The same bytes in pieces whose lengths depend on them alone, so that a failure repeats. */
  private static TableRows inPieces(byte[] input) {
    Random random = new Random(Arrays.hashCode(input));
    return Pieces.parse(input, BOOT, most -> random.nextInt(1, 301));
  }

  private static void hold(boolean condition, Supplier<String> problem) {
    if (!condition) {
      throw new IllegalStateException(problem.get());
    }
  }
}
