package io.csi4j.client.internal;

import dev.failsafe.Execution;
import dev.failsafe.RetryPolicy;
import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The failed attempts of a call. Decides, by the policy of the call, whether another attempt
 * follows, and after which pause. This class neither checks the time budget of the call nor waits,
 * because both need the clock of the call.
 */
final class Repeats {

  private final Execution<Object> attempts;
  private final List<CsiException> earlier = new ArrayList<>();

  /**
   * Creates an object without failed attempts.
   *
   * @param random a source of random numbers in [0, 1)
   */
  Repeats(CallPolicy policy, DoubleSupplier random) {
    attempts =
        Execution.of(
            RetryPolicy.builder()
                .handle(CsiTransientException.class)
                .withMaxAttempts(policy.attempts())
                .withDelayFn(
                    failed -> {
                      CsiTransientException failure = failed.getLastException();
                      return backoff(policy, failure.code())
                          .pause(failed.getAttemptCount(), random.getAsDouble());
                    })
                .build());
  }

  private static Backoff backoff(CallPolicy policy, StatusCode code) {
    Duration first = code == StatusCode.ABORTED ? policy.pendingBackoff() : policy.backoff();
    return Backoff.fullJitter(first, policy.backoffCap());
  }

  /** Returns the pause before the next attempt after this failure; empty if no attempt follows. */
  Optional<Duration> after(Throwable failure) {
    attempts.recordException(failure);
    return attempts.isComplete() ? Optional.empty() : Optional.of(attempts.getDelay());
  }

  /** Remembers a failure after which another attempt follows. */
  void remember(CsiException failure) {
    earlier.add(failure);
  }

  /** Returns the last failure that was remembered. */
  CsiException last() {
    return earlier.get(earlier.size() - 1);
  }

  /**
   * Adds the remembered failures as suppressed exceptions to {@code end}, the failure that ends the
   * call.
   */
  void suppressIn(Throwable end) {
    earlier.stream().filter(each -> each != end).forEach(end::addSuppressed);
  }
}
