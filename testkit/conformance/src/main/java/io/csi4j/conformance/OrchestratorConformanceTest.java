package io.csi4j.conformance;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.model.OrchestratorScenario;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The conformance suite for orchestrators as JUnit tests: extend it, and start yours.
 *
 * @since 1.0
 */
public abstract class OrchestratorConformanceTest {

  /** For those who extend it. */
  protected OrchestratorConformanceTest() {}

  /** Starts the orchestrator to test; called again for each scenario. */
  protected abstract OrchestratorUnderTest start(OrchestratorSetting setting) throws Exception;

  /** How the suite is run. Default: {@link OrchestratorConformance#create}. */
  protected OrchestratorConformance suite() {
    return OrchestratorConformance.create();
  }

  /** A container for each group of scenarios, with a test for each scenario. */
  @TestFactory
  Stream<DynamicNode> conformance() {
    OrchestratorConformance suite = suite();
    Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
    for (OrchestratorScenario each : suite.chosen()) {
      groups
          .computeIfAbsent(each.group(), group -> new ArrayList<>())
          .add(dynamicTest(each.name(), () -> judge(suite.run(each, this::start))));
    }
    return groups.entrySet().stream()
        .map(group -> dynamicContainer(group.getKey(), group.getValue()));
  }

  private static void judge(ScenarioResult result) {
    if (!result.passed()) {
      Assertions.fail(result.describe());
    }
  }
}
