package io.csi4j.conformance.model;

/** A run of the suite against one plugin, case by case. For one thread. */
public interface ConformanceRun extends AutoCloseable {

  /**
   * Runs a case. There is a result for any plugin.
   *
   * @throws IllegalArgumentException if the case is none of the suite
   */
  CaseResult run(ConformanceCase which);

  /** Closes its connections, and removes the directory that it made. */
  @Override
  void close();
}
