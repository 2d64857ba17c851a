package io.csi4j.conformance.internal.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.conformance.OrchestratorConformance;
import io.csi4j.conformance.model.ConformanceCase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The suite for hosts without a controller. */
class NodeOnlyTest {

  @Test
  void noPluginHasAControllerAndScenariosAboutAttachingAreLeftOut() {
    assertThat(Scenarios.onNode())
        .allSatisfy(
            each -> {
              assertThat(each.shape().offers(PluginCapability.CONTROLLER_SERVICE)).isFalse();
              assertThat(each.name()).doesNotContain("attach", "detach");
            })
        .extracting(ConformanceCase::name)
        .contains("mount/first", "shape/node-only", "restart/amid-stage-then-mounted")
        .doesNotContain("shape/everything");
  }

  @Test
  void whatIsLeftOutSaysWhatItNeeds() {
    List<String> kept =
        OrchestratorConformance.nodeOnly().chosen().stream().map(ConformanceCase::name).toList();

    assertThat(OrchestratorConformance.cases())
        .filteredOn(each -> !kept.contains(each.name()))
        .hasSize(14)
        .allSatisfy(
            each -> assertThat(each.needs()).containsExactly("a host that attaches volumes"));
  }
}
