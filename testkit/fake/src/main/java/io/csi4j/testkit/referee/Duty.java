package io.csi4j.testkit.referee;

import io.csi4j.client.internal.text.Rows;
import java.util.List;
import java.util.Optional;

/**
 * A rule of the spec for an orchestrator.
 *
 * @param id the number of the duty
 * @param section the part of the spec that contains the duty
 * @param level the strength of the duty: MUST, SHOULD, REQUIRED, DERIVED and so on
 * @param text the rule itself
 * @param unseen the reason why no plugin can observe whether the duty is kept; empty if the referee
 *     judges the duty
 * @since 1.0
 */
public record Duty(DutyId id, String section, Level level, String text, Optional<String> unseen) {

  /** Value in the last column for a duty that the referee judges. */
  private static final String SEEN = "SEEN";

  private static final List<Duty> ALL =
      Rows.of(Duty.class.getResourceAsStream("duties.tsv"), 5).stream().map(Duty::of).toList();

  /** Returns all duties, ordered by number. */
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

  /** The strength of a duty. */
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
    /** The spec marks a field as REQUIRED. */
    REQUIRED,
    /** The spec states the rule in plain text, without a keyword. */
    DUTY,
    /**
     * The rule is not in the spec: this library derives it from the behaviour that the spec allows
     * to plugins.
     */
    DERIVED;

    /**
     * Returns whether a breach makes a caller unlawful. Duties marked MUST, SHALL or REQUIRED are
     * binding, because the spec defines compliance by these keywords. Every other duty is advice,
     * including rules in plain text and derived rules, even if plugins are likely to rely on it.
     */
    public boolean binding() {
      return switch (this) {
        case MUST, MUST_NOT, SHALL, SHALL_NOT, REQUIRED -> true;
        case SHOULD, SHOULD_NOT, MAY, MAY_NOT, DUTY, DERIVED -> false;
      };
    }
  }
}
