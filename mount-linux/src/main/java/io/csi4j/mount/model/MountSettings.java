package io.csi4j.mount.model;

import java.time.Duration;

/**
 * How {@link io.csi4j.mount.Mounts} treats calls that do not come back.
 *
 * @param deadline how long one step of an operation is waited for; an unmount has as many steps as
 *     it has attempts, and one more to find who is in the way
 * @param threads how many calls can be in the kernel at once, stuck ones included
 * @since 1.0
 */
public record MountSettings(Duration deadline, int threads) {

  /** 30 seconds, 16 threads. */
  public static final MountSettings DEFAULT = new MountSettings(Duration.ofSeconds(30), 16);

  /** Refuses a deadline or a number of threads that is not positive. */
  public MountSettings {
    if (deadline.isZero() || deadline.isNegative()) {
      throw new IllegalArgumentException(
          "The deadline " + deadline + " is not positive. No call could be made in it.");
    }
    if (threads < 1) {
      throw new IllegalArgumentException(
          "With " + threads + " threads no call could be made. Use one at least.");
    }
  }
}
