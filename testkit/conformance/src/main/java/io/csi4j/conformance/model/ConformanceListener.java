package io.csi4j.conformance.model;

import java.util.function.Consumer;

/**
 * Is notified while cases run, on the thread of the run.
 *
 * @since 1.0
 */
public interface ConformanceListener {

  /** One that does nothing. */
  static ConformanceListener none() {
    return new ConformanceListener() {};
  }

  /**
   * One that prints a line for each case that has ended, with the cause if it did not pass, and at
   * the end the {@linkplain ConformanceReport#summary() summary}.
   *
   * @param out takes each line, such as {@code System.out::println}
   */
  static ConformanceListener printing(Consumer<String> out) {
    return new ProgressPrinter(out);
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

  /** The last case has ended, and everything is cleaned up as far as possible. */
  default void finished(ConformanceReport report) {}
}
