package io.csi4j.conformance.model;

/**
 * Is told how a run goes on, on the thread of the run.
 *
 * @since 1.0
 */
public interface ConformanceListener {

  /** One that does nothing. */
  static ConformanceListener none() {
    return new ConformanceListener() {};
  }

  /**
   * A case begins.
   *
   * @param number its place in the run, from 1
   * @param of how many cases run
   */
  default void started(ConformanceCase about, int number, int of) {}

  /** A case has ended. */
  default void ended(CaseResult result) {}
}
