package io.csi4j.testkit.cli;

import java.io.PrintWriter;

/**
 * Where a command prints.
 *
 * @param out its results
 * @param err what it has to say beside them
 * @param terminal whether a person looks on, so that a line may be written over
 */
record Console(PrintWriter out, PrintWriter err, boolean terminal) {

  void flush() {
    out.flush();
    err.flush();
  }
}
