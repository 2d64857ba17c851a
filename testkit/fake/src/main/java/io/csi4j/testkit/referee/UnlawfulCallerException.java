package io.csi4j.testkit.referee;

/**
 * Thrown when a caller broke a duty: says which, by which calls. A failed assertion to JUnit.
 *
 * @since 1.0
 */
public final class UnlawfulCallerException extends AssertionError {

  private static final long serialVersionUID = 1;

  private final transient Verdict verdict;

  /** For this verdict. */
  public UnlawfulCallerException(Verdict verdict) {
    super(verdict.describe());
    this.verdict = verdict;
  }

  /** The whole verdict. */
  public Verdict verdict() {
    return verdict;
  }
}
