package io.csi4j.client.internal;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** The pauses between the attempts of a call, by its policy. */
final class Repeats {

  private Repeats() {}

  /**
   * Returns the pause after {@code attempts} attempts, the last of which ended with {@code code}.
   *
   * @param random draws from [0, 1)
   */
  static Duration pause(CallPolicy policy, StatusCode code, int attempts, DoubleSupplier random) {
    Duration first = code == StatusCode.ABORTED ? policy.pendingBackoff() : policy.backoff();
    return Backoff.fullJitter(first, policy.backoffCap()).pause(attempts, random.getAsDouble());
  }
}
