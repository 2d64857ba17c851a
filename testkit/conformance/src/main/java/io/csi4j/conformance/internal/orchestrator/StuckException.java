package io.csi4j.conformance.internal.orchestrator;

/**
 * Thrown when a scenario cannot continue: the run catches it and adds it to the problems of the
 * result.
 */
final class StuckException extends RuntimeException {

  private static final long serialVersionUID = 1;

  StuckException(String problem) {
    super(problem, null, false, false);
  }
}
