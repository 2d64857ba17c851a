package io.csi4j.conformance.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run of a suite against one plugin or one kind of orchestrator. For one thread; scenarios for
 * orchestrators may be run on several threads at a time.
 *
 * @since 1.0
 */
public interface ConformanceRun extends AutoCloseable {

  /** Returns what is tested, in words. */
  String subject();

  /**
   * Runs a case. There is a result for any plugin and any orchestrator.
   *
   * @throws IllegalArgumentException if the case is none of the suite
   */
  CaseResult run(ConformanceCase which);

  /** Runs cases one after the other, and then tries again to remove what is left of them. */
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
   * Ends the run after its present call: the case cleans up, and those after it are not run. May be
   * called by any thread.
   */
  void stop();

  /**
   * Tries again to take away what cases have left behind.
   *
   * @return the results that are other ones now
   */
  Map<CaseResult, CaseResult> cleanUpAgain();

  /** Closes its connections, removes the directory that it made, and ends what it started. */
  @Override
  void close();
}
