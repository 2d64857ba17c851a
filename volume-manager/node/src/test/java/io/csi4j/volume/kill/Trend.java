package io.csi4j.volume.kill;

import java.util.Arrays;
import java.util.List;

/**
 * How a figure that was measured again and again moves: its level, and by how much it grew from the
 * first sample to the last. The growth is the median of the slopes between all pairs of samples, so
 * that neither the noise of a collector nor single samples decide it. What sets in only in the last
 * quarter of the time is not seen.
 *
 * @param level the median of the samples
 * @param growth by how much it grew in all
 */
record Trend(double level, double growth) {

  /** That of samples taken at these times. */
  static Trend of(List<Double> times, List<Double> values) {
    int count = times.size();
    if (count < 8 || values.size() != count) {
      throw new IllegalArgumentException("Too few samples: " + count);
    }
    double[] slopes = new double[count * (count - 1) / 2];
    int next = 0;
    for (int later = 1; later < count; later++) {
      for (int earlier = 0; earlier < later; earlier++) {
        slopes[next++] =
            (values.get(later) - values.get(earlier)) / (times.get(later) - times.get(earlier));
      }
    }
    double window = times.get(count - 1) - times.get(0);
    double level = median(values.stream().mapToDouble(Double::doubleValue).toArray());
    return new Trend(level, median(slopes) * window);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
