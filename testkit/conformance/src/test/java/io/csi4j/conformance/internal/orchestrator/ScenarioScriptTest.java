package io.csi4j.conformance.internal.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.VolumeId;
import io.csi4j.conformance.OrchestratorConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.MountOrder;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioWorkload;
import io.csi4j.testkit.model.PluginShape;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps that a row cannot mean are refused as it is read, or fail its scenario. */
class ScenarioScriptTest {

  /** Mounts nothing, so that the plugin has nothing published. */
  private static final class Idle implements OrchestratorUnderTest {
    @Override
    public Path mount(MountOrder order) {
      return Path.of("/nowhere");
    }

    @Override
    public void unmount(VolumeId volume, ScenarioWorkload workload) {}

    @Override
    public void close() {}
  }

  private static CaseResult result(String steps) {
    try (ConformanceRun run = OrchestratorConformance.create().open(setting -> new Idle())) {
      return run.run(
          new Scenario(
              "mount/a", PluginShape.full(), List.of(), "It is.", ScenarioScript.of(steps)));
    }
  }

  @Test
  void aStepThatThereIsNotIsRefused() {
    assertThatThrownBy(() -> ScenarioScript.of("mount one; remount one"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("No step of scenarios.tsv is: remount one");
  }

  @Test
  void anOrderThatThereIsNotFailsTheScenario() {
    assertThat(result("mount three"))
        .satisfies(
            result -> {
              assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
              assertThat(result.causes())
                  .containsExactly(
                      "The scenario itself failed: java.lang.IllegalStateException: No order of"
                          + " scenarios.tsv is: three");
            });
  }

  @Test
  void whatTheStepsExpectAndIsNotSoIsAProblem() {
    assertThat(result("mount one; mount two; publications 2").causes())
        .containsExactly(
            "Mounting volume 'vol-1' for 'workload-1' gave '/nowhere', where the plugin has"
                + " published nothing.",
            "Mounting volume 'vol-1' for 'workload-2' gave '/nowhere', where the plugin has"
                + " published nothing.",
            "Two workloads were given one path.",
            "Volume 'vol-1' is published 0 times, not 2.");
  }
}
