package io.csi4j.volume.internal.engine;

import java.time.Duration;

/** When something is tried again in the background, and when an operator hears of it. */
final class Background {

  private static final Duration FIRST = Duration.ofSeconds(1);

  private Background() {}

  /** How long to wait: twice as long each time, never longer than the cap, a random part less. */
  static Duration pause(int tries, Duration cap, double random) {
    long pause = FIRST.toNanos();
    for (int i = 0; i < tries && pause < cap.toNanos(); i++) {
      pause = pause > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : pause * 2;
    }
    long most = Math.min(pause, cap.toNanos());
    return Duration.ofNanos((long) (most * (0.5 + random / 2)));
  }

  /** Whether a try is told of, by how many failed before: the first, the fifth, every twentieth. */
  static boolean isTold(int failed) {
    return failed == 0 || failed == 4 || (failed + 1) % 20 == 0;
  }
}
