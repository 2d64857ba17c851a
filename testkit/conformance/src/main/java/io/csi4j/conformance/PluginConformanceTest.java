package io.csi4j.conformance;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;

/**
 * The conformance suite for plugins as JUnit tests: extend it, and say which plugin.
 *
 * <p>A case that is skipped is an aborted test; advice is a report entry.
 *
 * @since 1.0
 */
public abstract class PluginConformanceTest {

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
    ConformanceRun run = PluginConformance.open(plugin());
    Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
    for (ConformanceCase each : PluginConformance.cases()) {
      if (includes(each)) {
        groups
            .computeIfAbsent(each.group(), group -> new ArrayList<>())
            .add(dynamicTest(each.name(), () -> judge(run.run(each), reporter)));
      }
    }
    return groups.entrySet().stream()
        .map(group -> (DynamicNode) dynamicContainer(group.getKey(), group.getValue()))
        .onClose(run::close);
  }

  private static void judge(CaseResult result, TestReporter reporter) {
    if (!result.leftBehind().isEmpty()) {
      Assertions.fail(
          result.story() + "\nleft behind:\n  " + String.join("\n  ", result.leftBehind()));
    }
    switch (result.outcome()) {
      case FAILED -> Assertions.fail(result.story());
      case NOT_RUN -> Assertions.fail("not run: " + result.story());
      case SKIPPED -> Assumptions.abort(result.story());
      case ADVICE -> reporter.publishEntry(result.about().name(), result.story());
      case PASSED -> {}
    }
  }
}
