package io.csi4j.examples;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** The output of the quickstart: one line for each step, with the time since the start. */
final class Story {

  private final PrintStream out;
  private final long begun = System.nanoTime();

  Story(PrintStream out) {
    this.out = out;
  }

  void title(String text) {
    out.println(text);
    out.println();
  }

  /** Prints a step. */
  void step(String who, String what) {
    out.printf(Locale.ROOT, "%5.1f s  %-7s %s%n", seconds(), who, what);
  }

  /** Prints a detail of the last step. */
  void line(String text) {
    out.println(" ".repeat(17) + text);
  }

  void end() {
    out.println();
    out.printf(Locale.ROOT, "Done in %.1f s: nothing is left.%n", seconds());
  }

  static String millis(Duration time) {
    return time.toMillis() + " ms";
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
  }

  private double seconds() {
    return (System.nanoTime() - begun) / 1e9;
  }
}
