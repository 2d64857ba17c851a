package io.csi4j.testkit.referee;

import io.csi4j.client.internal.text.Rows;
import java.util.List;
import java.util.Optional;

/**
 * One thing that the spec asks of an orchestrator.
 *
 * @param id its number
 * @param section the part of the spec that lays it down
 * @param level how binding it is: MUST, SHOULD, REQUIRED, DERIVED and so on
 * @param text what it asks
 * @param unseen why no plugin can see whether it is kept; nothing if the referee judges it
 * @since 1.0
 */
public record Duty(DutyId id, String section, Level level, String text, Optional<String> unseen) {

  /** Stands in the last column of a duty that is judged. */
  private static final String SEEN = "SEEN";

  private static final List<Duty> ALL =
      Rows.of(Duty.class.getResourceAsStream("duties.tsv"), 5).stream().map(Duty::of).toList();

  /** Every duty there is, in the order of the numbers. */
  public static List<Duty> all() {
    return ALL;
  }

  static Duty of(DutyId id) {
    return ALL.get(id.number() - 1);
  }

  private static Duty of(List<String> cells) {
    return new Duty(
        DutyId.of(Integer.parseInt(cells.get(0))),
        cells.get(2),
        Level.valueOf(cells.get(1).replace(' ', '_')),
        cells.get(3),
        cells.get(4).equals(SEEN) ? Optional.empty() : Optional.of(cells.get(4)));
  }

  /** How binding a duty is. */
  public enum Level {
    /** The spec says MUST. */
    MUST,
    /** The spec says MUST NOT. */
    MUST_NOT,
    /** The spec says SHALL. */
    SHALL,
    /** The spec says SHALL NOT. */
    SHALL_NOT,
    /** The spec says SHOULD. */
    SHOULD,
    /** The spec says SHOULD NOT. */
    SHOULD_NOT,
    /** The spec says MAY. */
    MAY,
    /** The spec says MAY NOT. */
    MAY_NOT,
    /** A field that the spec marks REQUIRED. */
    REQUIRED,
    /** Laid down in plain words, without a keyword. */
    DUTY,
    /** Derived by us from what the plugin may do. */
    DERIVED;

    /**
     * Whether breaking it makes a caller unlawful, and not merely unwise: the spec says MUST, SHALL
     * or REQUIRED, the words that it measures compliance by. All else is advice, also what is laid
     * down in plain words and what we derived, however likely it is that a plugin relies on it.
     */
    public boolean binding() {
      return switch (this) {
        case MUST, MUST_NOT, SHALL, SHALL_NOT, REQUIRED -> true;
        case SHOULD, SHOULD_NOT, MAY, MAY_NOT, DUTY, DERIVED -> false;
      };
    }
  }
}
