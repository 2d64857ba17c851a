package io.csi4j.client.internal.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Pauses before a failed operation is tried again. The length of the pause doubles with each
 * consecutive failure, up to a maximum. The actual pause is a random part of this length.
 *
 * @param first the length after the first failure
 * @param longest the maximum length, which also limits the first pause
 * @param least the smallest share of the length that a pause lasts
 * @param spread the maximum random share that is added to {@code least}
 */
public record Backoff(Duration first, Duration longest, double least, double spread) {

  /** Creates pauses of the full length. */
  public static Backoff exact(Duration first, Duration longest) {
    return new Backoff(first, longest, 1, 0);
  }

  /** Creates random pauses between zero and the full length. */
  public static Backoff fullJitter(Duration first, Duration longest) {
    return new Backoff(first, longest, 0, 1);
  }

  /** Creates random pauses of at least half of the length. */
  public static Backoff halfJitter(Duration first, Duration longest) {
    return new Backoff(first, longest, 0.5, 0.5);
  }

  /**
   * Returns the pause after this number of consecutive failures, at least one.
   *
   * @param random a random number from 0 to below 1
   */
  public Duration pause(int failures, double random) {
    return Duration.ofNanos((long) (length(failures) * (least + spread * random)));
  }

  /** Returns the pause after this number of consecutive failures, without a random part. */
  public Duration pause(int failures) {
    return pause(failures, 0);
  }

  private long length(int failures) {
    long most = TimeUnit.NANOSECONDS.convert(longest);
    long length = Math.min(TimeUnit.NANOSECONDS.convert(first), most);
    for (int i = 1; i < failures && 0 < length && length < most; i++) {
      length = length > most / 2 ? most : length * 2;
    }
    return length;
  }
}
