package io.csi4j.client.internal.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Pauses before something that failed is tried again. The length of a pause doubles with each
 * failure in a row, up to the longest; chance decides which part of the length is waited.
 *
 * @param first the length after the first failure
 * @param longest no length exceeds this, nor the first one
 * @param least the smallest part of the length that is waited
 * @param spread what chance adds to that part at most
 */
public record Backoff(Duration first, Duration longest, double least, double spread) {

  /** Pauses of the full length. */
  public static Backoff exact(Duration first, Duration longest) {
    return new Backoff(first, longest, 1, 0);
  }

  /** Pauses of anything between nothing and the full length. */
  public static Backoff fullJitter(Duration first, Duration longest) {
    return new Backoff(first, longest, 0, 1);
  }

  /** Pauses of half of the length at least. */
  public static Backoff halfJitter(Duration first, Duration longest) {
    return new Backoff(first, longest, 0.5, 0.5);
  }

  /**
   * Returns the pause after so many failures in a row, at least one.
   *
   * @param random from 0 to below 1
   */
  public Duration pause(int failures, double random) {
    return Duration.ofNanos((long) (length(failures) * (least + spread * random)));
  }

  /** Returns the pause after so many failures in a row, where nothing is left to chance. */
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
