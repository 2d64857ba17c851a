package io.csi4j.conformance;

import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/**
 * The conformance suite for plugins as JUnit tests. Extend this class, and describe the plugin.
 *
 * <p>JUnit reports a skipped case as an aborted test, and advice as a report entry.
 *
 * @since 1.0
 */
public abstract class PluginConformanceTest extends DynamicConformanceTest {

  /** Subclasses call this constructor. */
  protected PluginConformanceTest() {}

  /** Returns the description of the plugin to test. This method is called once for all cases. */
  protected abstract PluginUnderTest plugin();

  /** Returns whether to run a case. Default: every case. */
  protected boolean includes(ConformanceCase each) {
    return true;
  }

  /** Returns a container for each service, with a test for each case. */
  @TestFactory
  Stream<DynamicNode> conformance(TestReporter reporter) {
    return tests(
        PluginConformance.open(plugin()),
        PluginConformance.cases().stream().filter(this::includes).toList(),
        reporter);
  }
}
