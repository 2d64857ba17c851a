package io.csi4j.conformance.internal.plugin;

import io.csi4j.conformance.model.CaseResult.Outcome;

/** Ends a case before its end: the run catches it and makes it the result. */
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

  /** The plugin did something else than expected. */
  static CaseEndedException failed(String expected, String got) {
    return new CaseEndedException(Outcome.FAILED, expected, got, false);
  }

  /** The plugin did something that counts in a step before the tested one as well. */
  static CaseEndedException failedInAnyStep(String expected, String got) {
    return new CaseEndedException(Outcome.FAILED, expected, got, true);
  }

  /** A step before the tested one was not done, or the plugin is gone. */
  static CaseEndedException notRun(String why) {
    return new CaseEndedException(Outcome.NOT_RUN, "", why, false);
  }

  /** The plugin offers nothing that the case is about. */
  static CaseEndedException skipped(String why) {
    return new CaseEndedException(Outcome.SKIPPED, "", why, false);
  }

  Outcome outcome() {
    return outcome;
  }

  /** Returns what the plugin did instead of the expectation, or why the case has no verdict. */
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
