package io.csi4j.testkit.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Repeats a check until the program is stopped. If the check fails repeatedly for the same reason,
 * the failure is reported only once.
 */
final class RepeatedLook {

  private RepeatedLook() {}

  /** Returns the heading line that is printed above changes. */
  static String heading() {
    return "--- " + Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * Repeats the check until the program is stopped.
   *
   * @param first the exit code of the first check
   * @param recovered the message for a check that succeeds after failed checks
   * @param look prints the changes, and returns the exit code
   * @return the exit code of the last check
   */
  static int until(
      CountDownLatch over,
      Duration every,
      Console console,
      int first,
      String recovered,
      IntSupplier look)
      throws InterruptedException {
    String failure = "";
    int code = first;
    while (!over.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
      String failed = "";
      try {
        code = look.getAsInt();
      } catch (RuntimeException e) {
        CommandFailure unreadable = CommandFailure.of(e);
        failed = String.valueOf(unreadable.getMessage());
        code = unreadable.exitCode();
      }
      if (!failed.equals(failure)) {
        console.note(heading());
        console.note(failed.isEmpty() ? recovered : failed);
        failure = failed;
      }
      if (console.out().checkError()) {
        return ExitCode.NO_CONNECTION;
      }
    }
    return code;
  }
}
