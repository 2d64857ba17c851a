package io.csi4j.volume.controller;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.volume.internal.names.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Settings for the calls to controllers of plugins. Immutable, with value equality.
 *
 * @since 1.0
 */
public final class ControllerSettings {

  private static final ControllerSettings DEFAULTS = builder().build();

  private final Builder parts;

  private ControllerSettings(Builder parts) {
    if (parts.waiters < 1) {
      throw new IllegalArgumentException("At least one call must be able to wait.");
    }
    Durations.positive("longest wait", parts.longestWait);
    Durations.positive("time for secrets", parts.secretsLimit);
    this.parts = parts.copy();
  }

  /** Returns settings that suit most storage systems. */
  public static ControllerSettings defaults() {
    return DEFAULTS;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns which attach and detach calls wait for each other. */
  public Concurrency attaching() {
    return parts.attaching;
  }

  /** Returns which of the other calls wait for each other. */
  public Concurrency others() {
    return parts.others;
  }

  /** Returns the maximum number of calls that wait for one turn. */
  public int waiters() {
    return parts.waiters;
  }

  /** Returns the maximum time that a call waits for its turn. */
  public Duration longestWait() {
    return parts.longestWait;
  }

  /** Returns the maximum time that the host may take to provide the secrets of a call. */
  public Duration secretsLimit() {
    return parts.secretsLimit;
  }

  /** Returns the change to the timeouts and retries of each call. */
  public UnaryOperator<CallPolicy.Builder> policy() {
    return parts.policy;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ControllerSettings that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "ControllerSettings" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("attaching", parts.attaching);
    all.put("others", parts.others);
    all.put("waiters", parts.waiters);
    all.put("longestWait", parts.longestWait);
    all.put("secretsLimit", parts.secretsLimit);
    all.put("policy", parts.policy);
    return all;
  }

  /** Builder of {@link ControllerSettings}. */
  public static final class Builder {
    private Concurrency attaching = Concurrency.PER_PLUGIN;
    private Concurrency others = Concurrency.PER_VOLUME;
    private int waiters = 1_000;
    private Duration longestWait = Duration.ofMinutes(10);
    private Duration secretsLimit = Duration.ofSeconds(60);
    private UnaryOperator<CallPolicy.Builder> policy = UnaryOperator.identity();

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.attaching = attaching;
      copy.others = others;
      copy.waiters = waiters;
      copy.longestWait = longestWait;
      copy.secretsLimit = secretsLimit;
      copy.policy = policy;
      return copy;
    }

    /**
     * Sets which attach and detach calls wait for each other. By default, all such calls of a
     * plugin.
     */
    public Builder attaching(Concurrency value) {
      attaching = Objects.requireNonNull(value, "attaching");
      return this;
    }

    /** Sets which of the other calls wait for each other. By default, those for the same volume. */
    public Builder others(Concurrency value) {
      others = Objects.requireNonNull(value, "others");
      return this;
    }

    /** Limits the number of calls that wait for one turn. The default is 1000. */
    public Builder waiters(int value) {
      waiters = value;
      return this;
    }

    /**
     * Limits the time that a call waits for its turn among the calls of this controller, and the
     * total time that a request waits for the work of other control planes. The default is 10
     * minutes.
     */
    public Builder longestWait(Duration value) {
      longestWait = Objects.requireNonNull(value, "longestWait");
      return this;
    }

    /**
     * Limits the time that the host may take to provide the secrets of a call. The default is 60 s.
     */
    public Builder secretsLimit(Duration value) {
      secretsLimit = Objects.requireNonNull(value, "secretsLimit");
      return this;
    }

    /**
     * Changes the timeouts and retries of each call. By default, each call has the policy of its
     * operation.
     */
    public Builder policy(UnaryOperator<CallPolicy.Builder> value) {
      policy = Objects.requireNonNull(value, "policy");
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    public ControllerSettings build() {
      return new ControllerSettings(this);
    }
  }

  /**
   * Which controller calls of one plugin wait for each other.
   *
   * @since 1.0
   */
  public enum Concurrency {
    /** Calls for the same volume. */
    PER_VOLUME,
    /** Calls for the same volume, and calls for the same node. */
    PER_NODE,
    /**
     * All calls of the plugin: for storage systems whose calls for two volumes interfere with each
     * other.
     */
    PER_PLUGIN
  }
}
