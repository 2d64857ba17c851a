package io.csi4j.volume.plugin.launch;

import java.time.Duration;

/**
 * How a {@link ProcessPluginLauncher} treats its process.
 *
 * @param backoff the longest first pause before it is started again; it doubles each time
 * @param backoffCap the longest pause
 * @param early an end so soon after the start counts as a failure to start: with an error status it
 *     is told, and the pauses grow; after a later end they begin again
 * @param stopping how long it may take to end by itself before it is killed
 * @param longestLine how many bytes of a line of its output are kept
 * @param lastWords how many lines of its output are kept
 */
public record LaunchSettings(
    Duration backoff,
    Duration backoffCap,
    Duration early,
    Duration stopping,
    int longestLine,
    int lastWords) {

  private static final LaunchSettings DEFAULTS =
      new LaunchSettings(
          Duration.ofSeconds(1),
          Duration.ofMinutes(1),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          4096,
          20);

  /** Refuses what makes no sense. */
  public LaunchSettings {
    if (backoff.isNegative()
        || backoff.isZero()
        || backoffCap.compareTo(backoff) < 0
        || early.isNegative()
        || stopping.isNegative()) {
      throw new IllegalArgumentException(
          "The pauses are not positive, or the longest is shorter than the first: "
              + backoff
              + ", "
              + backoffCap
              + ", "
              + early
              + ", "
              + stopping
              + ".");
    }
    if (longestLine < 1 || lastWords < 1) {
      throw new IllegalArgumentException("At least one byte of one line has to be kept.");
    }
  }

  /** Returns settings that suit most plugins. */
  public static LaunchSettings defaults() {
    return DEFAULTS;
  }

  /** These settings with other pauses. */
  public LaunchSettings withBackoff(Duration first, Duration cap) {
    return new LaunchSettings(first, cap, early, stopping, longestLine, lastWords);
  }

  /** These settings with another time after the start in which an end is an early one. */
  public LaunchSettings withEarly(Duration value) {
    return new LaunchSettings(backoff, backoffCap, value, stopping, longestLine, lastWords);
  }

  /** These settings with another time to end by itself. */
  public LaunchSettings withStopping(Duration value) {
    return new LaunchSettings(backoff, backoffCap, early, value, longestLine, lastWords);
  }

  /** These settings with other bounds for output: bytes of a line, and lines that are kept. */
  public LaunchSettings withOutput(int longestLine, int lastWords) {
    return new LaunchSettings(backoff, backoffCap, early, stopping, longestLine, lastWords);
  }
}
