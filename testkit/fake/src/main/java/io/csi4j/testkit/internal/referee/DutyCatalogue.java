package io.csi4j.testkit.internal.referee;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
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
    return Rows.of(DutyCatalogue.class.getResourceAsStream("duties.tsv"), 5).stream()
        .map(DutyCatalogue::row)
        .toList();
  }

  private static Duty row(List<String> cells) {
    return new Row(
        DutyId.of(Integer.parseInt(cells.get(0))),
        Duty.Level.valueOf(cells.get(1).replace(' ', '_')),
        cells.get(2),
        cells.get(3),
        cells.get(4).equals(SEEN) ? Optional.empty() : Optional.of(cells.get(4)));
  }

  private record Row(DutyId id, Level level, String section, String text, Optional<String> unseen)
      implements Duty {}
}
