package io.csi4j.testkit.junit;

/** The calls that a plugin got, beside the failure of the test: suppressed, never the failure. */
final class JournalOfFailedTest extends AssertionError {

  private static final long serialVersionUID = 1;

  JournalOfFailedTest(String journal) {
    super(journal, null);
    setStackTrace(new StackTraceElement[0]);
  }
}
