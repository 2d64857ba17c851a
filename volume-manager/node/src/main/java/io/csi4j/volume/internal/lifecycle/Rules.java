package io.csi4j.volume.internal.lifecycle;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which rules of the protocol are on.
 *
 * @param off those that are not; none, except in a test
 */
public record Rules(Set<Rule> off) {

  /** All of them. */
  public static final Rules ALL = new Rules(Set.of());

  /** Copies the set. */
  public Rules {
    off = Set.copyOf(off);
  }

  /** All but one; for tests. */
  public static Rules allBut(Rule rule) {
    return new Rules(EnumSet.of(rule));
  }

  /** Whether a rule is on. */
  public boolean on(Rule rule) {
    return off.isEmpty() || !off.contains(rule);
  }
}
