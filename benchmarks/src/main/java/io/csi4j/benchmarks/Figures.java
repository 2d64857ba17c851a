package io.csi4j.benchmarks;

import java.util.Arrays;
import java.util.List;

/** The windows of one operation on one side, in the order in which they were measured. */
public final class Figures {

  private final double[] windows;

  /** Creates figures from these windows. */
  public Figures(List<Double> windows) {
    this.windows = windows.stream().mapToDouble(Double::doubleValue).toArray();
  }

  public boolean isEmpty() {
    return windows.length == 0;
  }

  public int count() {
    return windows.length;
  }

  /** The median of all windows. */
  public double median() {
    return median(Arrays.copyOf(windows, windows.length));
  }

  /** The median of all windows, with its range. */
  public Estimate estimate() {
    return Estimate.of(count(), 0, (ours, none) -> median(ours));
  }

  /** The median of the windows with these indexes. */
  double median(int[] indexes) {
    return median(Arrays.stream(indexes).mapToDouble(i -> windows[i]).toArray());
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  @Override
  public String toString() {
    return Arrays.toString(windows);
  }
}
