package io.csi4j.conformance.model;

/**
 * Is told how a run of scenarios goes on, on the thread of the run.
 *
 * @since 1.0
 */
public interface OrchestratorListener {

  /** One that does nothing. */
  static OrchestratorListener none() {
    return new OrchestratorListener() {};
  }

  /**
   * A scenario begins.
   *
   * @param number its place in the run, from 1
   * @param of how many scenarios run
   */
  default void started(OrchestratorScenario scenario, int number, int of) {}

  /** A scenario has ended. */
  default void ended(ScenarioResult result) {}
}
