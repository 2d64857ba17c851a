package io.csi4j.testkit.conformance;

import io.csi4j.testkit.internal.conformance.SuiteRun;

/** A run of the suite against one plugin, case by case. For one thread. */
public sealed interface ConformanceRun extends AutoCloseable permits SuiteRun {

  /** Runs a case. Whatever the plugin does, there is a result. */
  CaseResult run(ConformanceCase which);

  /** Closes its connections, and removes the directory that it made. */
  @Override
  void close();
}
