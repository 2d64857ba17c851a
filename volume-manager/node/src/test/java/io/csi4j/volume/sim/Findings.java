package io.csi4j.volume.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * What happened in one history: the first broken invariant, how much was done, and, when asked for,
 * every event in words.
 */
final class Findings {

  /**
   * A broken invariant.
   *
   * @param invariant its id, such as {@code I2}
   * @param text what was violated by what
   */
  record Violation(String invariant, String text) {
    @Override
    public String toString() {
      return invariant + " " + text;
    }
  }

  private final boolean tracing;
  private final List<String> trace = new ArrayList<>();
  private long events;
  private Violation first;

  Findings(boolean tracing) {
    this.tracing = tracing;
  }

  /** Remembers the first one; what comes after it is often its consequence. */
  void violated(String invariant, String text) {
    note("VIOLATED " + invariant, text);
    if (first == null) {
      first = new Violation(invariant, text);
    }
  }

  boolean isBroken() {
    return first != null;
  }

  Violation first() {
    return first;
  }

  /** One event. The parts are put together only when somebody wants to read them. */
  void note(String what, Object... about) {
    events++;
    if (tracing) {
      StringBuilder line = new StringBuilder(what);
      for (Object part : about) {
        line.append(' ').append(part);
      }
      trace.add(line.toString());
    }
  }

  boolean isTracing() {
    return tracing;
  }

  long events() {
    return events;
  }

  List<String> trace() {
    return List.copyOf(trace);
  }
}
