package io.csi4j.client.internal;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** How long to wait before the next attempt: exponential, with full jitter, and capped. */
final class Backoff {

  private Backoff() {}

  /**
   * The pause after {@code attempts} attempts, the last of which ended with {@code code}.
   *
   * @param random draws from [0, 1)
   */
  static Duration pause(CallPolicy policy, StatusCode code, int attempts, DoubleSupplier random) {
    Duration base = code == StatusCode.ABORTED ? policy.pendingBackoff() : policy.backoff();
    double ceiling =
        Math.min(
            seconds(policy.backoffCap()),
            seconds(base) * Math.pow(2, Math.min(attempts - 1, 1000)));
    return Duration.ofNanos((long) (random.getAsDouble() * ceiling * 1e9));
  }

  private static double seconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }
}
