package io.csi4j.testkit.internal.scenario;

import java.util.List;
import java.util.stream.Stream;

/** Every scenario of the suite for orchestrators. */
public final class Scenarios {

  private Scenarios() {}

  /** In the order in which they run. */
  public static List<Scenario> all() {
    return Stream.of(
            Mounting.scenarios(),
            Shapes.scenarios(),
            Crashes.scenarios(),
            PluginChanges.scenarios(),
            LostAnswers.scenarios(),
            SlowCalls.scenarios(),
            Refusals.scenarios(),
            Failures.scenarios(),
            Crowds.scenarios(),
            Names.scenarios())
        .flatMap(List::stream)
        .toList();
  }
}
