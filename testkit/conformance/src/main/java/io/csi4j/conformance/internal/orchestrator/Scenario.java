package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.testkit.model.PluginShape;

/**
 * A scenario of the suite.
 *
 * @param shape what the plugin is
 * @param body what happens
 */
public record Scenario(String name, String expectation, PluginShape shape, Body body)
    implements ConformanceCase {

  /** A scenario with a plugin that offers everything. */
  Scenario(String name, String expectation, Body body) {
    this(name, expectation, PluginShape.full(), body);
  }

  @Override
  public String toString() {
    return name;
  }

  /** The events of a scenario. */
  @FunctionalInterface
  public interface Body {

    /**
     * Plays it.
     *
     * @throws StuckException if it makes no sense to go on
     * @throws InterruptedException if the run is interrupted
     */
    void play(Play play) throws StuckException, InterruptedException;
  }
}
