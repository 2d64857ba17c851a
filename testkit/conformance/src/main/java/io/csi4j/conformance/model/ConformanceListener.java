package io.csi4j.conformance.model;

import java.util.function.Consumer;

/**
 * Receives notifications while cases run, on the thread of the run.
 *
 * @since 1.0
 */
public interface ConformanceListener {

  /** Returns a listener that does nothing. */
  static ConformanceListener none() {
    return new ConformanceListener() {};
  }

  /**
   * Returns a listener that prints a line for each case that has ended, with the cause if it did
   * not pass, and at the end the {@linkplain ConformanceReport#summary() summary}.
   *
   * @param out receives each line, such as {@code System.out::println}
   */
  static ConformanceListener printing(Consumer<String> out) {
    return new ProgressPrinter(out);
  }

  /**
   * A case begins.
   *
   * @param number the position of the case in the run, counted from 1
   * @param of the number of cases in the run
   */
  default void started(ConformanceCase about, int number, int of) {}

  /** A case has ended. */
  default void ended(CaseResult result) {}

  /** The last case has ended, and everything has been cleaned up as far as possible. */
  default void finished(ConformanceReport report) {}
}
