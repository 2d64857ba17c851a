package io.csi4j.conformance.internal.orchestrator;

/** Ends a scenario that cannot go on: the run catches it and makes it a problem of the result. */
final class StuckException extends RuntimeException {

  private static final long serialVersionUID = 1;

  StuckException(String problem) {
    super(problem, null, false, false);
  }
}
