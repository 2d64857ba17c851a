package io.csi4j.conformance.internal.plugin;

import io.csi4j.conformance.model.CaseResult.Outcome;

/** Thrown to end a case early: the run catches it and turns it into the result. */
final class CaseEndedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Outcome outcome;
  private final String expected;
  private final boolean inAnyStep;

  private CaseEndedException(Outcome outcome, String expected, String text, boolean inAnyStep) {
    super(text, null, false, false);
    this.outcome = outcome;
    this.expected = expected;
    this.inAnyStep = inAnyStep;
  }

  /** Returns the failure of a plugin that did not behave as expected. */
  static CaseEndedException failed(String expected, String got) {
    return new CaseEndedException(Outcome.FAILED, expected, got, false);
  }

  /** Returns a failure that counts in a preparation step as well. */
  static CaseEndedException failedInAnyStep(String expected, String got) {
    return new CaseEndedException(Outcome.FAILED, expected, got, true);
  }

  /** Returns the end of a case whose preparation failed, or whose plugin is gone. */
  static CaseEndedException notRun(String why) {
    return new CaseEndedException(Outcome.NOT_RUN, "", why, false);
  }

  /** Returns the end of a case for which the plugin lacks the feature. */
  static CaseEndedException skipped(String why) {
    return new CaseEndedException(Outcome.SKIPPED, "", why, false);
  }

  Outcome outcome() {
    return outcome;
  }

  /**
   * Returns what the plugin did instead of the expected behaviour, or why the case has no verdict.
   */
  String text() {
    return String.valueOf(getMessage());
  }

  String expected() {
    return expected;
  }

  boolean inAnyStep() {
    return inAnyStep;
  }
}
