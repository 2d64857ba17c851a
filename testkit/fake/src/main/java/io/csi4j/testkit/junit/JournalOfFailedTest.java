package io.csi4j.testkit.junit;

/**
 * The calls that a plugin received, attached to the failure of a test as a suppressed exception.
 */
final class JournalOfFailedTest extends AssertionError {

  private static final long serialVersionUID = 1;

  JournalOfFailedTest(String journal) {
    super(journal, null);
    setStackTrace(new StackTraceElement[0]);
  }
}
