package io.csi4j.volume.controller;

import io.csi4j.client.model.CallPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * How controllers of plugins are called.
 *
 * @param attaching which calls wait for each other that attach volumes to nodes, or detach them
 * @param others which of the other calls wait for each other
 * @param waiters how many calls may wait for one turn
 * @param longestWait how long a call waits for its turn at most
 * @param secretsLimit how long the host may take to give the secrets of a call
 * @param policy changes how patient and persistent each call is
 */
public record ControllerSettings(
    ControllerConcurrency attaching,
    ControllerConcurrency others,
    int waiters,
    Duration longestWait,
    Duration secretsLimit,
    UnaryOperator<CallPolicy> policy) {

  private static final ControllerSettings DEFAULTS =
      new ControllerSettings(
          ControllerConcurrency.PER_PLUGIN,
          ControllerConcurrency.PER_VOLUME,
          1_000,
          Duration.ofMinutes(10),
          Duration.ofSeconds(60),
          UnaryOperator.identity());

  /** Refuses what makes no sense. */
  public ControllerSettings {
    Objects.requireNonNull(attaching, "attaching");
    Objects.requireNonNull(others, "others");
    Objects.requireNonNull(policy, "policy");
    if (waiters < 1) {
      throw new IllegalArgumentException("At least one call has to be able to wait.");
    }
    positive("longest wait", longestWait);
    positive("time for secrets", secretsLimit);
  }

  private static void positive(String what, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + value + ".");
    }
  }

  /** Returns settings that suit most storage systems. */
  public static ControllerSettings defaults() {
    return DEFAULTS;
  }

  /** These settings with another rule for attaching and detaching. */
  public ControllerSettings withAttaching(ControllerConcurrency value) {
    return new ControllerSettings(value, others, waiters, longestWait, secretsLimit, policy);
  }

  /** These settings with another rule for all other calls. */
  public ControllerSettings withOthers(ControllerConcurrency value) {
    return new ControllerSettings(attaching, value, waiters, longestWait, secretsLimit, policy);
  }

  /** These settings with another number of calls that may wait for one turn. */
  public ControllerSettings withWaiters(int value) {
    return new ControllerSettings(attaching, others, value, longestWait, secretsLimit, policy);
  }

  /** These settings with another limit for waiting. */
  public ControllerSettings withLongestWait(Duration value) {
    return new ControllerSettings(attaching, others, waiters, value, secretsLimit, policy);
  }

  /** These settings with another time that the host may take to give the secrets of a call. */
  public ControllerSettings withSecretsLimit(Duration value) {
    return new ControllerSettings(attaching, others, waiters, longestWait, value, policy);
  }

  /** These settings with calls that are more, or less, patient and persistent. */
  public ControllerSettings withPolicy(UnaryOperator<CallPolicy> value) {
    return new ControllerSettings(attaching, others, waiters, longestWait, secretsLimit, value);
  }
}
