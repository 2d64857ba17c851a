package io.csi4j.conformance.internal.plugin;

/** Ends a case before its end. */
public abstract sealed class CaseEndedException extends Exception {

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

    /** A failure: this was expected, that was got. */
    public Failed(String expected, String got) {
      super(got);
      this.expected = expected;
    }

    /** Returns what would have been right. */
    public String expected() {
      return expected;
    }
  }

  /** The case cannot be run. */
  public static final class Skipped extends CaseEndedException {
    private static final long serialVersionUID = 1;

    /** A skip for this reason. */
    public Skipped(String reason) {
      super(reason);
    }
  }
}
