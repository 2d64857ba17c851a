package io.csi4j.testkit.cli;

import java.io.PrintWriter;

/**
 * The output of a command.
 *
 * @param out its results
 * @param err messages about them
 * @param terminal whether the messages go to a terminal, so that a line may be overwritten
 * @param screen the terminal of the results
 */
record Console(PrintWriter out, PrintWriter err, boolean terminal, Screen screen) {

  /** Creates a console whose results go to a file or a pipe. */
  Console(PrintWriter out, PrintWriter err, boolean terminal) {
    this(out, err, terminal, Screen.NONE);
  }

  /** Prints a result. */
  void print(Object line) {
    out.println(String.valueOf(line));
  }

  /** Prints a message next to the results. */
  void note(String line) {
    err.println(line);
  }

  void flush() {
    out.flush();
    err.flush();
  }
}
