package io.csi4j.testkit.cli;

import java.io.PrintWriter;

/**
 * The output streams of a command.
 *
 * @param out the stream for results
 * @param err the stream for messages
 * @param terminal whether messages go to a terminal, so that a line can be overwritten
 * @param screen the terminal for results
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

  /** Prints a message that is not part of the results. */
  void note(String line) {
    err.println(line);
  }

  void flush() {
    out.flush();
    err.flush();
  }
}
