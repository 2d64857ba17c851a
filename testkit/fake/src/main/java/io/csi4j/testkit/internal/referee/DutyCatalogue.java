package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The list of all duties, as it stands in {@code duties.tsv}. */
final class DutyCatalogue {

  /** Stands in the last column of a duty that is judged. */
  private static final String SEEN = "SEEN";

  private static final List<Duty> ALL = read();

  private DutyCatalogue() {}

  /** Every duty, in the order of the numbers. */
  static List<Duty> all() {
    return ALL;
  }

  /** The duty with this number. */
  static Duty duty(DutyId id) {
    return ALL.get(id.number() - 1);
  }

  private static List<Duty> read() {
    InputStream resource = DutyCatalogue.class.getResourceAsStream("duties.tsv");
    if (resource == null) {
      throw new IllegalStateException("The list of duties is missing from the testkit's jar.");
    }
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(resource, StandardCharsets.UTF_8))) {
      return lines.lines().skip(1).map(DutyCatalogue::row).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Duty row(String line) {
    String[] cells = line.split("\t", -1);
    return new Row(
        DutyId.of(Integer.parseInt(cells[0])),
        Duty.Level.valueOf(cells[1].replace(' ', '_')),
        cells[2],
        cells[3],
        cells[4].equals(SEEN) ? Optional.empty() : Optional.of(cells[4]));
  }

  private record Row(DutyId id, Level level, String section, String text, Optional<String> unseen)
      implements Duty {}
}
