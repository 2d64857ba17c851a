package io.csi4j.conformance;

import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/**
 * The conformance suite for orchestrators as JUnit tests: extend it, and start yours.
 *
 * <p>Advice is a report entry. A cause that several scenarios have is shown with its story once.
 *
 * @since 1.0
 */
public abstract class OrchestratorConformanceTest extends DynamicConformanceTest {

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
  Stream<DynamicNode> conformance(TestReporter reporter) {
    OrchestratorConformance suite = suite();
    return tests(suite.open(this::start), suite.chosen(), reporter);
  }
}
