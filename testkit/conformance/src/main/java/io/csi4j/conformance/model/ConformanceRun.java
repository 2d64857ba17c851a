package io.csi4j.conformance.model;

import java.util.Map;

/**
 * A run of the suite against one plugin, case by case. For one thread.
 *
 * @since 1.0
 */
public interface ConformanceRun extends AutoCloseable {

  /**
   * Runs a case. There is a result for any plugin.
   *
   * @throws IllegalArgumentException if the case is none of the suite
   */
  CaseResult run(ConformanceCase which);

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
