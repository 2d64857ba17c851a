package io.csi4j.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Times of one operation, each the mean of a short window, in nanoseconds. */
public final class Figures {

  private final List<Double> windows;
  private final double[] sorted;

  /** The figures of these windows, in the order in which they were measured. */
  public Figures(List<Double> windows) {
    this.windows = List.copyOf(windows);
    sorted = windows.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }

  /**
   * How many times its neighbour each window is: the one of {@code other} that was measured right
   * before or after it. None, unless there are as many of each.
   */
  public Figures over(Figures other) {
    if (count() != other.count()) {
      return new Figures(List.of());
    }
    return new Figures(
        IntStream.range(0, count()).mapToObj(i -> windows.get(i) / other.windows.get(i)).toList());
  }

  public boolean isEmpty() {
    return sorted.length == 0;
  }

  public int count() {
    return sorted.length;
  }

  /** The best window: on a machine that does other things too, the one least disturbed. */
  public double least() {
    return at(0);
  }

  public double median() {
    return at(0.5);
  }

  /** What a tenth of the windows is below. */
  public double low() {
    return at(0.1);
  }

  /** What a tenth of the windows is above. */
  public double high() {
    return at(0.9);
  }

  private double at(double share) {
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }

  @Override
  public String toString() {
    return Arrays.toString(sorted);
  }
}
