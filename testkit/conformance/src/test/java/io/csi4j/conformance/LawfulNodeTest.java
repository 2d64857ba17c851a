package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The suite for hosts without a controller against one that never calls a controller. */
final class LawfulNodeTest {

  private static final OrchestratorConformance SUITE =
      OrchestratorConformance.nodeOnly().withCallDeadline(Duration.ofSeconds(2));

  @Test
  @Tag("campaign")
  void everyScenarioComesOutAsExpected() {
    passes(SUITE);
  }

  @Test
  void someScenariosComeOutAsExpected() {
    passes(SUITE.only(each -> Set.of("mount", "shape", "health").contains(each.group())));
  }

  private static void passes(OrchestratorConformance suite) {
    ConformanceReport report =
        suite.run(ToyOrchestrator.with(Defect.HAS_NO_CONTROLLER), ConformanceListener.none());
    assertThat(report.clean()).as(report.text()).isTrue();
    assertThat(report.results()).hasSizeGreaterThan(15);
  }
}
