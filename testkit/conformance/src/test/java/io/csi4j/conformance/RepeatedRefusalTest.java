package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
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
    ConformanceReport report =
        OrchestratorConformance.create()
            .only(each -> each.name().equals(scenario))
            .run(ToyOrchestrator.with(Defect.REPEATS_WHAT_IS_REFUSED), ConformanceListener.none());

    assertThat(report.results())
        .extracting(result -> result.about())
        .extracting(ConformanceCase::name)
        .containsExactly(scenario);
    assertThat(report.clean()).as(report.text()).isEqualTo(passes);
  }
}
