package io.csi4j.conformance.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** The names of workloads. */
class ScenarioWorkloadTest {

  @Test
  void anEncodedNameIsPrintableAndTellsWorkloadsApart() {
    assertThat(ScenarioWorkload.of("workload-1").encoded()).isEqualTo("workload-1");
    assertThat(ScenarioWorkload.of("a\n/ b%").encoded()).isEqualTo("a%0A%2F+b%25");
    assertThat(ScenarioWorkload.of("a%0A").encoded()).isEqualTo("a%250A");
    assertThat(ScenarioWorkload.of("\u00e9").encoded()).isEqualTo("%C3%A9");
  }

  @Test
  void aWorkloadHasAName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ScenarioWorkload.of(""))
        .withMessage("A workload needs a name; this one is empty.");
  }
}
