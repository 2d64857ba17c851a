package io.csi4j.testkit.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** Looks again and again until the end. A look that fails is reported once, and tried again. */
final class RepeatedLook {

  private RepeatedLook() {}

  /** Returns the line above what has changed. */
  static String heading() {
    return "--- " + Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * Looks until the end.
   *
   * @param first the exit code of the first look
   * @param recovered what is said when a look succeeds after others have failed
   * @param look prints what has changed, and returns the exit code
   * @return the exit code of the last look
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
