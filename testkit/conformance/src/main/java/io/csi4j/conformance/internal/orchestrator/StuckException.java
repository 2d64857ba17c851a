package io.csi4j.conformance.internal.orchestrator;

/**
 * Thrown when a scenario cannot continue. The run catches the exception and adds its message to the
 * problems of the scenario.
 */
final class StuckException extends RuntimeException {

  private static final long serialVersionUID = 1;

  StuckException(String problem) {
    super(problem, null, false, false);
  }
}
