package io.csi4j.conformance.model;

import java.time.Duration;
import java.util.List;

/**
 * How one case went.
 *
 * @param about which case
 * @param outcome how it ended
 * @param story why, in lines for people; empty if it passed. Holds no secrets.
 * @param leftBehind what could not be cleaned up afterwards, a line each
 * @param took how long it ran, with its cleaning up
 * @since 1.0
 */
public record CaseResult(
    ConformanceCase about, Outcome outcome, String story, List<String> leftBehind, Duration took) {

  /** Copies the list. */
  public CaseResult {
    leftBehind = List.copyOf(leftBehind);
  }

  /** Whether the plugin was seen to do as it owes, and nothing is left of the case. */
  public boolean clean() {
    return outcome != Outcome.FAILED && outcome != Outcome.NOT_RUN && leftBehind.isEmpty();
  }

  /** How a case can end. */
  public enum Outcome {
    /** The plugin did as expected. */
    PASSED,
    /** The plugin did as it must, but not as the spec advises or as most callers hope. */
    ADVICE,
    /**
     * The plugin does not offer what the case is about, or the case needs something that was not
     * given.
     */
    SKIPPED,
    /**
     * The tested part was not reached: a step before it was refused, the plugin does not answer, or
     * the run has ended. Nothing is said about the plugin.
     */
    NOT_RUN,
    /** The plugin did not do as expected. */
    FAILED
  }
}
