package io.csi4j.volume.upkeep;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How fast a reaper goes: asked before each item.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface Pace {

  /**
   * Waits until the next item may be begun with.
   *
   * @throws InterruptedException if the waiting thread is interrupted: nothing more is begun
   */
  void next() throws InterruptedException;

  /**
   * One item in this time on average, spread at random between half of it and one and a half, so
   * that the reapers of a cluster do not work in step.
   */
  static Pace oneEach(Duration time) {
    Objects.requireNonNull(time, "time");
    return () ->
        TimeUnit.NANOSECONDS.sleep(
            (long) (time.toNanos() * (0.5 + ThreadLocalRandom.current().nextDouble())));
  }
}
