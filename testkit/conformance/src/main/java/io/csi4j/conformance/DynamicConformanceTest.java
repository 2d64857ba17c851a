package io.csi4j.conformance;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestReporter;

/** A suite as JUnit tests: a container for each group, and a test for each case. */
abstract class DynamicConformanceTest {

  private static final System.Logger LOG = System.getLogger("io.csi4j.conformance");

  /**
   * Returns the listener that is notified while the cases run. Default: a listener that logs a line
   * for each case to {@code io.csi4j.conformance}, because test runners may show nothing before the
   * last case has ended, and then a line for each cause of a failure.
   */
  protected ConformanceListener listener() {
    return ConformanceListener.printing(line -> LOG.log(Level.INFO, line));
  }

  /** Returns a test for each of these cases; the run is closed after the last. */
  final Stream<DynamicNode> tests(
      ConformanceRun run, List<ConformanceCase> cases, TestReporter reporter) {
    ConformanceListener listener = listener();
    List<CaseResult> results = new ArrayList<>();
    Map<String, List<DynamicTest>> groups = new LinkedHashMap<>();
    for (ConformanceCase each : cases) {
      groups
          .computeIfAbsent(each.group(), group -> new ArrayList<>())
          .add(
              dynamicTest(
                  each.name(),
                  () -> {
                    listener.started(each, results.size() + 1, cases.size());
                    CaseResult result = run.run(each);
                    results.add(result);
                    listener.ended(result);
                    judge(result, new ConformanceReport(run.subject(), results), reporter);
                  }));
    }
    return groups.entrySet().stream()
        .map(group -> (DynamicNode) dynamicContainer(group.getKey(), group.getValue()))
        .onClose(() -> listener.finished(new ConformanceReport(run.subject(), results)))
        .onClose(run::close);
  }

  /** Shows the details of a cause once; later cases with the same cause refer to the first one. */
  private static void judge(CaseResult result, ConformanceReport soFar, TestReporter reporter) {
    Optional<CaseResult> first = soFar.firstLike(result);
    String story =
        first.isEmpty()
            ? result.story()
            : "for the same reason as %s: %s"
                .formatted(first.get().about().name(), String.join("\n", result.causes()));
    if (!result.leftBehind().isEmpty()) {
      Assertions.fail(story + "\nleft behind:\n  " + String.join("\n  ", result.leftBehind()));
    }
    switch (result.outcome()) {
      case FAILED -> Assertions.fail(story);
      case NOT_RUN -> Assertions.fail("not run: " + result.story());
      case SKIPPED -> Assumptions.abort(result.story());
      case ADVICE -> reporter.publishEntry(result.about().name(), story);
      case PASSED -> {}
    }
  }
}
