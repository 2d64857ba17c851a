package io.csi4j.conformance;

import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/**
 * The conformance suite for orchestrators as JUnit tests. Extend this class, and start your
 * orchestrator.
 *
 * <p>JUnit reports advice as a report entry. If several scenarios share a cause, its details are
 * shown only once.
 *
 * @since 1.0
 */
public abstract class OrchestratorConformanceTest extends DynamicConformanceTest {

  /** Subclasses call this constructor. */
  protected OrchestratorConformanceTest() {}

  /**
   * Starts the orchestrator to test. This method is called for each scenario, and again after each
   * crash in a scenario.
   */
  protected abstract OrchestratorUnderTest start(OrchestratorSetting setting) throws Exception;

  /** Returns the suite to run. Default: {@link OrchestratorConformance#create}. */
  protected OrchestratorConformance suite() {
    return OrchestratorConformance.create();
  }

  /** Returns a container for each group of scenarios, with a test for each scenario. */
  @TestFactory
  Stream<DynamicNode> conformance(TestReporter reporter) {
    OrchestratorConformance suite = suite();
    return tests(suite.open(this::start), suite.chosen(), reporter);
  }
}
