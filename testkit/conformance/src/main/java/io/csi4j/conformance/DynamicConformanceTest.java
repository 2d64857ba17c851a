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

/** A suite as dynamic JUnit tests, with a container for each group and a test for each case. */
abstract class DynamicConformanceTest {

  private static final System.Logger LOG = System.getLogger("io.csi4j.conformance");

  /**
   * Returns the listener that is notified while the cases run. The default listener logs to {@code
   * io.csi4j.conformance}, because some test runners show no results before the last case has
   * ended. It logs a line for each case that failed, did not run or left objects behind, and for
   * every twentieth case. At the end, it logs a summary with a line for each cause.
   */
  protected ConformanceListener listener() {
    return new SparseListener(ConformanceListener.printing(line -> LOG.log(Level.INFO, line)));
  }

  /**
   * Passes on only the results that users should see immediately, and every twentieth result to
   * show progress.
   */
  private static final class SparseListener implements ConformanceListener {

    private static final int EACH = 20;

    private final ConformanceListener all;
    private int number;

    SparseListener(ConformanceListener all) {
      this.all = all;
    }

    @Override
    public void started(ConformanceCase about, int position, int of) {
      number = position;
      all.started(about, position, of);
    }

    @Override
    public void ended(CaseResult result) {
      boolean isSeen =
          switch (result.outcome()) {
            case FAILED, NOT_RUN -> true;
            case ADVICE, PASSED, SKIPPED -> !result.leftBehind().isEmpty();
          };
      if (isSeen || number % EACH == 0) {
        all.ended(result);
      }
    }

    @Override
    public void finished(ConformanceReport report) {
      all.finished(report);
    }
  }

  /** Returns a test for each of these cases. The run is closed after the last case. */
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

  /**
   * Shows the details of each cause only once. Later cases with the same cause refer to the first
   * case.
   */
  private static void judge(CaseResult result, ConformanceReport soFar, TestReporter reporter) {
    Optional<CaseResult> first = soFar.firstLike(result);
    // The story contains the name of the case, because some test runners show only the number of a
    // dynamic test.
    String story =
        result.about().name()
            + ": "
            + (first.isEmpty()
                ? result.story()
                : "for the same reason as %s: %s"
                    .formatted(first.get().about().name(), String.join("\n", result.causes())));
    if (!result.leftBehind().isEmpty()) {
      Assertions.fail(story + "\nleft behind:\n  " + String.join("\n  ", result.leftBehind()));
    }
    switch (result.outcome()) {
      case FAILED -> Assertions.fail(story);
      case NOT_RUN -> Assertions.fail(result.about().name() + ": not run: " + result.story());
      case SKIPPED -> Assumptions.abort(result.story());
      case ADVICE -> reporter.publishEntry(result.about().name(), result.story());
      case PASSED -> {}
    }
  }
}
