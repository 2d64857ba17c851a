package io.csi4j.testkit.referee;

import java.util.Optional;

/**
 * One thing that the spec asks of an orchestrator.
 *
 * @since 1.0
 */
public interface Duty {

  /** Its number. */
  DutyId id();

  /** How binding it is: MUST, SHOULD, REQUIRED, DERIVED and so on. */
  Level level();

  /** Returns what it asks. */
  String text();

  /** The part of the spec that lays it down. */
  String section();

  /** Why no plugin can see whether it is kept; nothing if the referee judges it. */
  Optional<String> unseen();

  /** How binding a duty is. */
  enum Level {
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
