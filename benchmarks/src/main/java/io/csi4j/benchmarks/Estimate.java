package io.csi4j.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A figure with the range that contains it with 95 % confidence.
 *
 * @param value the figure of all windows
 * @param low the lower end of the range
 * @param high the upper end of the range
 */
public record Estimate(double value, double low, double high) {

  private static final double CONFIDENCE = 0.95;
  private static final int RESAMPLES = 1_000;
  private static final long SEED = 20_261_129;

  /** A figure that is computed from windows of both sides. */
  @FunctionalInterface
  interface Figure {

    /** Computes the figure from the windows with these indexes. */
    double of(int[] ours, int[] theirs);
  }

  /**
   * Estimates a figure by resampling the windows that it is computed from. If both sides have the
   * same number of windows, these were measured in pairs and are drawn in pairs, because other work
   * on the machine disturbs both windows of a pair.
   *
   * <p>Consecutive windows are often disturbed together, too. So blocks of windows are drawn
   * instead of single windows. This is the moving-block bootstrap, with the square root of the
   * number of windows as the block length. Drawing uses a fixed seed, so that equal windows give
   * equal estimates.
   */
  static Estimate of(int ours, int theirs, Figure figure) {
    Random random = new Random(SEED);
    double[] figures = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      int[] drawn = drawn(ours, random);
      figures[i] = figure.of(drawn, theirs == ours ? drawn : drawn(theirs, random));
    }
    Arrays.sort(figures);
    double outside = (1 - CONFIDENCE) / 2;
    return new Estimate(
        figure.of(IntStream.range(0, ours).toArray(), IntStream.range(0, theirs).toArray()),
        figures[(int) Math.round(outside * (RESAMPLES - 1))],
        figures[(int) Math.round((1 - outside) * (RESAMPLES - 1))]);
  }

  private static int[] drawn(int count, Random random) {
    int block = (int) Math.ceil(Math.sqrt(count));
    int[] drawn = new int[count];
    int from = 0;
    for (int i = 0; i < count; i++) {
      if (i % block == 0) {
        from = random.nextInt(count);
      }
      drawn[i] = (from + i % block) % count;
    }
    return drawn;
  }

  /** The figure in its unit, with its range if that is wider than a point. */
  String text(Unit unit) {
    String text = unit.text(value);
    return low == high ? text : text + " (" + unit.text(low) + " – " + unit.text(high) + ")";
  }

  /** The figure as a ratio, with its range if that is wider than a point. */
  String asRatio() {
    return low == high
        ? String.format(Locale.ROOT, "%.2f", value)
        : String.format(Locale.ROOT, "%.2f (%.2f – %.2f)", value, low, high);
  }
}
