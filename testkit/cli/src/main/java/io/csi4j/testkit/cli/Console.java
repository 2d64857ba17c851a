package io.csi4j.testkit.cli;

import java.io.PrintWriter;

/**
 * Where a command prints.
 *
 * @param out its results
 * @param err what it has to say beside them
 * @param terminal whether a person looks on, so that a line may be written over
 * @param screen the terminal of the results
 */
record Console(PrintWriter out, PrintWriter err, boolean terminal, Screen screen) {

  /** A console whose results go to a file or a pipe. */
  Console(PrintWriter out, PrintWriter err, boolean terminal) {
    this(out, err, terminal, Screen.NONE);
  }

  /** Prints a result. */
  void print(Object line) {
    out.println(String.valueOf(line));
  }

  /** Prints what is said beside the results. */
  void note(String line) {
    err.println(line);
  }

  void flush() {
    out.flush();
    err.flush();
  }
}
