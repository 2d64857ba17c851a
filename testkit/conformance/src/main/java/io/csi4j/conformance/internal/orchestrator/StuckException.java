package io.csi4j.conformance.internal.orchestrator;

/** Thrown when a scenario cannot go on, because something did not come out as expected. */
public final class StuckException extends Exception {

  private static final long serialVersionUID = 1;

  StuckException(String problem) {
    super(problem, null, false, false);
  }
}
