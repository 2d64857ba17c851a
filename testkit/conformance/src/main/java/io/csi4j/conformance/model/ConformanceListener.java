package io.csi4j.conformance.model;

import java.util.function.Consumer;

/**
 * Receives notifications while cases run. The thread of the run calls all methods.
 *
 * @since 1.0
 */
public interface ConformanceListener {

  /** Returns a listener that does nothing. */
  static ConformanceListener none() {
    return new ConformanceListener() {};
  }

  /**
   * Returns a listener that prints a line for each case that has ended. The line contains the cause
   * if the case did not pass. At the end, the listener prints the {@linkplain
   * ConformanceReport#summary() summary}.
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

  /** The last case has ended, and leftovers have been removed as far as possible. */
  default void finished(ConformanceReport report) {}
}
