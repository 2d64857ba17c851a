package io.csi4j.conformance;

import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** The suite against an orchestrator without a defect: every scenario comes out as expected. */
@Tag("campaign")
final class LawfulOrchestratorTest extends OrchestratorConformanceTest {

  private static final OrchestratorUnderTest.Factory TOYS = ToyOrchestrator.with();

  @Override
  protected OrchestratorUnderTest start(OrchestratorSetting setting) throws Exception {
    return TOYS.start(setting);
  }

  @Override
  protected OrchestratorConformance suite() {
    return OrchestratorConformance.create().withCallDeadline(Duration.ofSeconds(2));
  }
}
