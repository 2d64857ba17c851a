package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;

/**
 * A scenario of the suite.
 *
 * @param shape what the plugin is
 * @param needs what the host has to have for it; empty for every host
 * @param body what happens
 */
public record Scenario(
    String name, String expectation, PluginShape shape, List<String> needs, Body body)
    implements ConformanceCase {

  Scenario(String name, String expectation, PluginShape shape, Body body) {
    this(name, expectation, shape, List.of(), body);
  }

  /** A scenario with a plugin that offers everything. */
  Scenario(String name, String expectation, Body body) {
    this(name, expectation, PluginShape.full(), body);
  }

  /** The same; only for hosts that call controllers if it is about a call of theirs. */
  Scenario about(CsiOperation step) {
    return step.service() == CsiService.CONTROLLER ? attaching() : this;
  }

  /** The same, for hosts that call controllers. */
  Scenario attaching() {
    return new Scenario(name, expectation, shape, List.of("a host that attaches volumes"), body);
  }

  /** The same with a plugin that has no controller. */
  Scenario onNode() {
    return new Scenario(name, expectation, onNode(shape), needs, body);
  }

  /** Returns the shape without its controller and all that only a controller has. */
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
