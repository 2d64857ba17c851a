package io.csi4j.volume.internal.text;

import java.time.Duration;

/** Durations as text for people. */
public final class TimeText {

  private TimeText() {}

  /** Returns text such as {@code 340 ms}, {@code 12 s}, {@code 2 min}, {@code 90 s}. */
  public static String of(Duration time) {
    if (time.toMillisPart() != 0 || time.isZero()) {
      return time.toMillis() + " ms";
    }
    return time.toSecondsPart() == 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
  }
}
