package io.csi4j.volume.internal.text;

import java.time.Duration;

/** Formats durations for people. */
public final class TimeText {

  private TimeText() {}

  /**
   * Returns the duration as text, such as {@code 340 ms}, {@code 12 s}, {@code 2 min} or {@code 90
   * s}.
   */
  public static String of(Duration time) {
    if (time.toMillisPart() != 0 || time.isZero()) {
      return time.toMillis() + " ms";
    }
    return time.toSecondsPart() == 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
  }
}
