package io.csi4j.conformance.internal.plugin;

/** Ends a case before its end: the run catches it and makes it the result. */
public abstract sealed class CaseEndedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private CaseEndedException(String text) {
    super(text, null, false, false);
  }

  /** Returns its text. */
  public String text() {
    return String.valueOf(getMessage());
  }

  /** The plugin did something else than expected. */
  public static final class Failed extends CaseEndedException {
    private static final long serialVersionUID = 1;

    private final String expected;
    private final boolean inAnyStep;

    /** A failure: this was expected, that was got. */
    public Failed(String expected, String got) {
      this(expected, got, false);
    }

    /** A failure that counts in a step before the tested one as well, if {@code inAnyStep}. */
    Failed(String expected, String got, boolean inAnyStep) {
      super(got);
      this.expected = expected;
      this.inAnyStep = inAnyStep;
    }

    /** Whether it counts in a step before the tested one as well. */
    boolean inAnyStep() {
      return inAnyStep;
    }

    /** Returns what would have been right. */
    public String expected() {
      return expected;
    }
  }

  /** A step before the tested one was not done, or the plugin is gone. */
  public static final class NotRun extends CaseEndedException {
    private static final long serialVersionUID = 1;

    /** A case that is not run for this reason. */
    public NotRun(String reason) {
      super(reason);
    }
  }

  /** The plugin offers nothing that the case is about. */
  public static final class Skipped extends CaseEndedException {
    private static final long serialVersionUID = 1;

    /** A skip for this reason. */
    public Skipped(String reason) {
      super(reason);
    }
  }
}
