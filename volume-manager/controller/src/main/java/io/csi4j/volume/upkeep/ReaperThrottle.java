package io.csi4j.volume.upkeep;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The pause of a {@link Reaper} before each item of a plan.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface ReaperThrottle {

  /**
   * Waits until the next item may be started.
   *
   * @throws InterruptedException if the waiting thread is interrupted; the reaper then starts no
   *     other item
   */
  void next() throws InterruptedException;

  /**
   * Returns a throttle that waits this long on average. Each pause is a random time from half of it
   * to one and a half of it, so that the reapers of a cluster do not run in step.
   */
  static ReaperThrottle oneEach(Duration time) {
    Objects.requireNonNull(time, "time");
    return () ->
        TimeUnit.NANOSECONDS.sleep(
            (long) (time.toNanos() * (0.5 + ThreadLocalRandom.current().nextDouble())));
  }
}
