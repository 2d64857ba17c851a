package io.csi4j.conformance.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run of a suite against one plugin or one kind of orchestrator. A run is not thread-safe, except
 * that scenarios for orchestrators may run on several threads concurrently.
 *
 * @since 1.0
 */
public interface ConformanceRun extends AutoCloseable {

  /** Returns the name of the tested plugin or orchestrator. */
  String subject();

  /**
   * Runs a case and returns its result. A failure of the plugin or the orchestrator is part of the
   * result, and is never thrown as an exception.
   *
   * @throws IllegalArgumentException if the case is not part of the suite
   */
  CaseResult run(ConformanceCase which);

  /** Runs cases one after the other, and then tries once more to remove their leftovers. */
  default ConformanceReport run(List<ConformanceCase> cases, ConformanceListener listener) {
    List<CaseResult> results = new ArrayList<>();
    for (ConformanceCase each : cases) {
      listener.started(each, results.size() + 1, cases.size());
      CaseResult result = run(each);
      results.add(result);
      listener.ended(result);
    }
    Map<CaseResult, CaseResult> changed = cleanUpAgain();
    results.replaceAll(each -> changed.getOrDefault(each, each));
    ConformanceReport report = new ConformanceReport(subject(), results);
    listener.finished(report);
    return report;
  }

  /**
   * Ends the run after its current call. The running case cleans up, and later cases do not run.
   * Any thread may call this method.
   */
  void stop();

  /**
   * Tries once more to remove the leftovers of cases.
   *
   * @return the changed results, with the original results as keys
   */
  Map<CaseResult, CaseResult> cleanUpAgain();

  /**
   * Closes the connections, removes the directory of the run, and ends the processes that the run
   * started.
   */
  @Override
  void close();
}
