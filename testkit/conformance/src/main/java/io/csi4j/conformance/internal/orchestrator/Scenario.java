package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.function.Consumer;

/**
 * A scenario of the suite: a row of {@code scenarios.tsv} with its steps.
 *
 * @param shape the shape of the plugin
 * @param needs the features that the host must support; empty if the scenario applies to every host
 * @param steps the steps of the scenario
 */
public record Scenario(
    String name, PluginShape shape, List<String> needs, String expectation, Consumer<Play> steps)
    implements ConformanceCase {

  /** Returns this scenario with a plugin that has no controller. */
  Scenario onNode() {
    return new Scenario(name, onNode(shape), needs, expectation, steps);
  }

  /** Returns the shape without its controller, and without the features that need a controller. */
  static PluginShape onNode(PluginShape shape) {
    return shape
        .without(PluginCapability.values())
        .without(ControllerCapability.values())
        .without(GroupControllerCapability.values());
  }

  @Override
  public String toString() {
    return name;
  }
}
