package io.csi4j.benchmarks;

/**
 * The number of rounds in which all sides are measured alternately. This is the wanted number, or a
 * smaller number if the time is too short for useful windows.
 *
 * @param count the number of rounds that are counted
 * @param millis the length of each window
 */
public record Rounds(int count, long millis) {

  private static final int LEAST = 4;
  private static final long SHORTEST_MILLIS = 50;

  /**
   * Returns the rounds for a given total time.
   *
   * @param millis the total time for all rounds
   * @param windows the number of windows in a round
   * @param warmUps the number of rounds that are not counted, for warming up
   * @param most the wanted number of rounds
   */
  public static Rounds in(double millis, int windows, int warmUps, int most) {
    double fit = millis / (windows * SHORTEST_MILLIS) - warmUps;
    int count = (int) Math.max(LEAST, Math.min(most, fit));
    return new Rounds(
        count, Math.max(SHORTEST_MILLIS, (long) (millis / (windows * (count + warmUps)))));
  }
}
