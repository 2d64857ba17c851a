package io.csi4j.volume.internal.health;

import io.csi4j.client.internal.time.Backoff;
import java.time.Duration;

/**
 * The pauses between two questions for the health of a plugin's volumes. An interval is spread at
 * random, so that nodes do not ask in step, and doubles while the plugin does not answer.
 */
public final class HealthPace {

  /** How much longer than the interval the longest pause is. */
  private static final int MOST = 16;

  private static final double SPREAD = 0.2;

  /** Longer intervals than this are as good as none. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Backoff pauses;
  private int failures;

  /** Asks at this interval. */
  public HealthPace(Duration interval) {
    Duration usual = interval.compareTo(LONGEST) > 0 ? LONGEST : interval;
    pauses = new Backoff(usual, usual.multipliedBy(MOST), 1 - SPREAD, 2 * SPREAD);
  }

  /** A round has ended; whether the plugin has answered decides about the next. */
  public void ended(boolean isAnswered) {
    failures = isAnswered ? 0 : failures + 1;
  }

  /**
   * Returns the pause before the next round.
   *
   * @param random from 0 to below 1
   */
  public Duration next(double random) {
    return pauses.pause(failures + 1, random);
  }
}
