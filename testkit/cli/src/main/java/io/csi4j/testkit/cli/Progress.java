package io.csi4j.testkit.cli;

import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;

/**
 * Shows the progress of a conformance run. On a terminal, one line is overwritten again and again;
 * otherwise, each case gets a line.
 */
final class Progress implements ConformanceListener {

  private static final String ERASE_LINE = "\r\u001b[K";

  private final Console console;
  private String place = "";
  private int failed;

  Progress(Console console) {
    this.console = console;
  }

  @Override
  public void started(ConformanceCase about, int number, int of) {
    place = number + "/" + of;
    if (console.terminal()) {
      console.err().print(ERASE_LINE + place + failures() + "  " + about.name());
      console.err().flush();
    }
  }

  @Override
  public void ended(CaseResult result) {
    failed += result.clean() ? 0 : 1;
    if (!console.terminal()) {
      console.note(
          "%s %s %s"
              .formatted(
                  place,
                  result.leftBehind().isEmpty() ? result.outcome() : "LEFT SOMETHING BEHIND",
                  result.about().name()));
    }
  }

  private String failures() {
    return failed == 0 ? "" : ", " + failed + " failed";
  }

  /** Erases the progress line on a terminal. */
  void done() {
    if (console.terminal()) {
      console.err().print(ERASE_LINE);
      console.err().flush();
    }
  }
}
