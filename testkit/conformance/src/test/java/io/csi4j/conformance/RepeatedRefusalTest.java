package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.model.OrchestratorListener;
import io.csi4j.conformance.model.OrchestratorReport;
import io.csi4j.conformance.model.OrchestratorScenario;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The suite against an orchestrator that sends once more what a plugin refused. */
final class RepeatedRefusalTest {

  @ParameterizedTest
  @CsvSource({
    "refused/stage-out-of-range, true",
    "refused/publish-out-of-range, true",
    "refused/publish-invalid-argument, false",
  })
  void failsOnlyWhereTheSpecForbidsARepeat(String scenario, boolean passes) {
    OrchestratorReport report =
        OrchestratorConformance.create()
            .only(each -> each.name().equals(scenario))
            .run(ToyOrchestrator.with(Defect.REPEATS_WHAT_IS_REFUSED), OrchestratorListener.none());

    assertThat(report.results())
        .extracting(result -> result.scenario())
        .extracting(OrchestratorScenario::name)
        .containsExactly(scenario);
    assertThat(report.failed().isEmpty()).as(report.describe()).isEqualTo(passes);
  }
}
