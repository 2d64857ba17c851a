package io.csi4j.conformance.internal.orchestrator;

import java.util.List;
import java.util.stream.Stream;

/** Every scenario of the suite for orchestrators. */
public final class Scenarios {

  private Scenarios() {}

  /** In the order in which they run. */
  public static List<Scenario> all() {
    return Stream.of(
            MountScenarios.scenarios(),
            ShapeScenarios.scenarios(),
            CrashScenarios.scenarios(),
            PluginChangeScenarios.scenarios(),
            LostAnswerScenarios.scenarios(),
            SlowCallScenarios.scenarios(),
            RefusalScenarios.scenarios(),
            FailureScenarios.scenarios(),
            CrowdScenarios.scenarios(),
            NameScenarios.scenarios(),
            HealthScenarios.scenarios(),
            RefreshScenarios.scenarios(),
            InlineScenarios.scenarios())
        .flatMap(List::stream)
        .toList();
  }

  /** Those for hosts without a controller, with plugins that have none. */
  public static List<Scenario> onNode() {
    return all().stream().filter(each -> each.needs().isEmpty()).map(Scenario::onNode).toList();
  }
}
