package io.csi4j.conformance.model;

import java.time.Duration;
import java.util.List;

/**
 * The result of one case.
 *
 * @param about which case
 * @param outcome how it ended
 * @param causes why it did not pass, or was advised against, a sentence each; reports group by them
 * @param story why, in lines for people; empty if it passed. Holds no secrets.
 * @param calls every call of the case that the suite has seen, a line each, redacted
 * @param leftBehind what could not be cleaned up afterwards, a line each
 * @param took how long it ran, with its cleaning up
 * @since 1.0
 */
public record CaseResult(
    ConformanceCase about,
    Outcome outcome,
    List<String> causes,
    String story,
    List<String> calls,
    List<String> leftBehind,
    Duration took) {

  /** Copies the lists. */
  public CaseResult {
    causes = List.copyOf(causes);
    calls = List.copyOf(calls);
    leftBehind = List.copyOf(leftBehind);
  }

  /** Whether nothing failed, everything ran, and nothing is left of the case. */
  public boolean clean() {
    return outcome != Outcome.FAILED && outcome != Outcome.NOT_RUN && leftBehind.isEmpty();
  }

  /** Returns the result with other things left behind. */
  public CaseResult leaving(List<String> left) {
    return new CaseResult(about, outcome, causes, story, calls, left, took);
  }

  /** Returns the name of the case, how it ended, and why. */
  @Override
  public String toString() {
    return about.name() + " " + outcome + (story.isEmpty() ? "" : "\n" + story);
  }

  /** How a case can end. */
  public enum Outcome {
    /** The plugin or orchestrator did as expected. */
    PASSED,
    /** It obeyed the spec, but not a recommendation of the spec or a habit of most others. */
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
    /** A check of the case failed. */
    FAILED
  }
}
