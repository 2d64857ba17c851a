package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.internal.text.Rows;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * All scenarios of the suite for orchestrators. Each scenario is a row of {@code scenarios.tsv}
 * with its steps.
 */
public final class Scenarios {

  /** Plugin shapes by their names in the table. */
  private static final Map<String, Supplier<PluginShape>> SHAPES =
      Map.of(
          "full", PluginShape::full,
          "full113", PluginShape::full113,
          "full112And113", PluginShape::full112And113,
          "separateSockets", PluginShape::separateSockets,
          "nodeOnly", PluginShape::nodeOnly,
          "noStaging", PluginShape::noStaging,
          "noAttach", PluginShape::noAttach,
          "attachRequired", PluginShape::attachRequired,
          "blockOnly", PluginShape::blockOnly,
          "plain", PluginShape::plain);

  private static final List<Scenario> ALL = read();

  private final Map<String, Consumer<Play>> steps = new HashMap<>();

  private Scenarios() {}

  /** Returns the scenarios in the order in which they run. */
  public static List<Scenario> all() {
    return ALL;
  }

  /**
   * Returns the scenarios for hosts that use no controller. The plugins in these scenarios have no
   * controller.
   */
  public static List<Scenario> onNode() {
    return ALL.stream().filter(each -> each.needs().isEmpty()).map(Scenario::onNode).toList();
  }

  void add(String name, Consumer<Play> body) {
    if (steps.put(name, body) != null) {
      throw new IllegalStateException("The scenario " + name + " has its steps twice.");
    }
  }

  private static List<Scenario> read() {
    Scenarios all = new Scenarios();
    MountScenarios.addTo(all);
    FaultScenarios.addTo(all);
    CrowdScenarios.addTo(all);
    NameScenarios.addTo(all);
    InlineScenarios.addTo(all);
    List<Scenario> scenarios =
        Rows.of(Scenarios.class.getResourceAsStream("scenarios.tsv"), 5).stream()
            .map(all::scenario)
            .toList();
    if (!all.steps.isEmpty()) {
      throw new IllegalStateException("No row of scenarios.tsv has " + all.steps.keySet() + ".");
    }
    return scenarios;
  }

  /**
   * Parses the scenario of a row: its name, the plugin's shape, the features that the host needs,
   * and the expectation.
   */
  private Scenario scenario(List<String> row) {
    Consumer<Play> body =
        row.get(4).isEmpty() ? steps.remove(row.get(0)) : ScenarioScript.of(row.get(4));
    if (body == null) {
      throw new IllegalStateException("The scenario " + row.get(0) + " has no steps.");
    }
    List<String> needs =
        row.get(2).equals("attaching") ? List.of("a host that attaches volumes") : List.of();
    return new Scenario(row.get(0), shape(row.get(1)), needs, row.get(3), body);
  }

  /** Parses the shape of a plugin: the name of the shape, followed by quirks. */
  static PluginShape shape(String words) {
    String[] parts = words.split(" ", -1);
    PluginShape shape = Objects.requireNonNull(SHAPES.get(parts[0]), words).get();
    for (int i = 1; i < parts.length; i++) {
      shape = shape.with(Quirk.valueOf(parts[i]));
    }
    return shape;
  }
}
