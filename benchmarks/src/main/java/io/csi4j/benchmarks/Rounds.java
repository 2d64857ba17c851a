package io.csi4j.benchmarks;

/**
 * In how many rounds all sides take their turns: as many as are wanted, and fewer where the time is
 * too short for windows that say anything.
 *
 * @param count the rounds that count
 * @param millis how long each window is
 */
public record Rounds(int count, long millis) {

  private static final int LEAST = 4;
  private static final long SHORTEST_MILLIS = 50;

  /**
   * The rounds for a time.
   *
   * @param millis how long all may take together
   * @param windows how many windows a round has
   * @param warmUps the rounds before those that count
   * @param most the rounds that are wanted
   */
  public static Rounds in(double millis, int windows, int warmUps, int most) {
    double fit = millis / (windows * SHORTEST_MILLIS) - warmUps;
    int count = (int) Math.max(LEAST, Math.min(most, fit));
    return new Rounds(
        count, Math.max(SHORTEST_MILLIS, (long) (millis / (windows * (count + warmUps)))));
  }
}
