package io.csi4j.conformance;

import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/**
 * The conformance suite for plugins as JUnit tests: extend it, and say which plugin.
 *
 * <p>A case that is skipped is an aborted test; advice is a report entry.
 *
 * @since 1.0
 */
public abstract class PluginConformanceTest extends DynamicConformanceTest {

  /** For those who extend it. */
  protected PluginConformanceTest() {}

  /** The plugin to test; asked once for all cases. */
  protected abstract PluginUnderTest plugin();

  /** Whether a case is run. Default: every case. */
  protected boolean includes(ConformanceCase each) {
    return true;
  }

  /** A container for each service, with a test for each case. */
  @TestFactory
  Stream<DynamicNode> conformance(TestReporter reporter) {
    return tests(
        PluginConformance.open(plugin()),
        PluginConformance.cases().stream().filter(this::includes).toList(),
        reporter);
  }
}
