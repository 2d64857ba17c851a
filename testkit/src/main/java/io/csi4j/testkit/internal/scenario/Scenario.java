package io.csi4j.testkit.internal.scenario;

import io.csi4j.testkit.PluginShape;
import io.csi4j.testkit.conformance.OrchestratorScenario;

/**
 * A scenario of the suite.
 *
 * @param shape what the plugin is
 * @param body what happens
 */
public record Scenario(String name, String expectation, PluginShape shape, Body body)
    implements OrchestratorScenario {

  @Override
  public String toString() {
    return name;
  }

  /** What happens in a scenario. */
  @FunctionalInterface
  public interface Body {

    /**
     * Plays it.
     *
     * @throws Stuck if it makes no sense to go on
     * @throws InterruptedException if the run is interrupted
     */
    void play(Play play) throws Stuck, InterruptedException;
  }
}
