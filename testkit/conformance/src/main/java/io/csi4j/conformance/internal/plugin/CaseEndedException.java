package io.csi4j.conformance.internal.plugin;

import io.csi4j.conformance.model.CaseResult.Outcome;

/**
 * Thrown to end a case early. The run catches the exception and turns it into the result of the
 * case.
 */
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

  /**
   * Returns the end of a case whose plugin did not behave as expected. In a preparation step, the
   * case does not fail, but has no verdict.
   */
  static CaseEndedException failed(String expected, String got) {
    return new CaseEndedException(Outcome.FAILED, expected, got, false);
  }

  /**
   * Returns the end of a case whose plugin did not behave as expected. It counts as a failure even
   * in a preparation step.
   */
  static CaseEndedException failedInAnyStep(String expected, String got) {
    return new CaseEndedException(Outcome.FAILED, expected, got, true);
  }

  /** Returns the end of a case that did not reach its tested step. */
  static CaseEndedException notRun(String why) {
    return new CaseEndedException(Outcome.NOT_RUN, "", why, false);
  }

  /** Returns the end of a case that tests a feature which the plugin does not have. */
  static CaseEndedException skipped(String why) {
    return new CaseEndedException(Outcome.SKIPPED, "", why, false);
  }

  Outcome outcome() {
    return outcome;
  }

  /**
   * Returns the plugin's behaviour instead of the expected behaviour, or the reason why the case
   * has no verdict.
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
