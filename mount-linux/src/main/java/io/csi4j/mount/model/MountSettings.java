package io.csi4j.mount.model;

import java.time.Duration;

/**
 * Settings for calls of {@link io.csi4j.mount.Mounts} that may not return.
 *
 * @param deadline the time limit of one step of an operation; an unmount has one step for each
 *     attempt, and one more to find the holders
 * @param threads the maximum number of concurrent calls in the kernel, including stuck ones
 * @since 1.0
 */
public record MountSettings(Duration deadline, int threads) {

  /** 30 seconds, 16 threads. */
  public static final MountSettings DEFAULT = new MountSettings(Duration.ofSeconds(30), 16);

  /** Refuses a deadline or a number of threads that is not positive. */
  public MountSettings {
    if (deadline.isZero() || deadline.isNegative()) {
      throw new IllegalArgumentException(
          "The deadline " + deadline + " is not positive. No call could end in time.");
    }
    if (threads < 1) {
      throw new IllegalArgumentException(
          "With " + threads + " threads no call could be made. Use one at least.");
    }
  }
}
