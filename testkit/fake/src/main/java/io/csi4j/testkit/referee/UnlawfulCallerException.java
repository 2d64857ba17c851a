package io.csi4j.testkit.referee;

/**
 * Thrown when a caller broke a binding duty. The message names the duties and the calls. JUnit
 * treats this exception as a failed assertion.
 *
 * @since 1.0
 */
public final class UnlawfulCallerException extends AssertionError {

  private static final long serialVersionUID = 1;

  private final transient Verdict verdict;

  /** Creates an exception for this verdict. */
  public UnlawfulCallerException(Verdict verdict) {
    super(verdict.describe());
    this.verdict = verdict;
  }

  /** Returns the complete verdict. */
  public Verdict verdict() {
    return verdict;
  }
}
