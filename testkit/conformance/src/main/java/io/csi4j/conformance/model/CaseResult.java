package io.csi4j.conformance.model;

import java.time.Duration;
import java.util.List;

/**
 * The result of one case.
 *
 * @param about the case
 * @param outcome the outcome
 * @param causes the reasons why the case did not pass or led to advice, one sentence each; reports
 *     group results by these sentences
 * @param story the details as lines of text; empty if the case passed. Contains no secrets.
 * @param calls every call of the case that the suite has observed, one redacted line each
 * @param leftBehind the objects that could not be removed afterwards, one line each
 * @param took the duration of the case, including its cleanup
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

  /** Returns whether the case ran, did not fail, and left no objects behind. */
  public boolean clean() {
    return outcome != Outcome.FAILED && outcome != Outcome.NOT_RUN && leftBehind.isEmpty();
  }

  /** Returns a copy of the result with these leftovers. */
  public CaseResult leaving(List<String> left) {
    return new CaseResult(about, outcome, causes, story, calls, left, took);
  }

  /** Returns the name of the case, its outcome, and the details. */
  @Override
  public String toString() {
    return about.name() + " " + outcome + (story.isEmpty() ? "" : "\n" + story);
  }

  /** The outcomes of a case. */
  public enum Outcome {
    /** The plugin or orchestrator behaved as expected. */
    PASSED,
    /**
     * The plugin or orchestrator obeyed the spec, but ignored a recommendation of the spec or a
     * common practice.
     */
    ADVICE,
    /**
     * The plugin does not offer the tested feature, or the case needs a value that the description
     * does not contain.
     */
    SKIPPED,
    /**
     * The case did not reach the tested step: the plugin refused a preparation step or does not
     * answer, or the run has ended. The plugin's behaviour in the tested step is unknown.
     */
    NOT_RUN,
    /** A check of the case failed. */
    FAILED
  }
}
