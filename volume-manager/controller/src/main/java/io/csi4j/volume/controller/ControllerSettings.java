package io.csi4j.volume.controller;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.volume.internal.names.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * How controllers of plugins are called. Immutable; compares by value.
 *
 * @since 1.0
 */
public final class ControllerSettings {

  private static final ControllerSettings DEFAULTS = builder().build();

  private final Builder parts;

  private ControllerSettings(Builder parts) {
    if (parts.waiters < 1) {
      throw new IllegalArgumentException("At least one call has to be able to wait.");
    }
    Durations.positive("longest wait", parts.longestWait);
    Durations.positive("time for secrets", parts.secretsLimit);
    this.parts = parts.copy();
  }

  /** Returns settings that suit most storage systems. */
  public static ControllerSettings defaults() {
    return DEFAULTS;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns which calls wait for each other that attach volumes to nodes, or detach them. */
  public Concurrency attaching() {
    return parts.attaching;
  }

  /** Returns which of the other calls wait for each other. */
  public Concurrency others() {
    return parts.others;
  }

  /** Returns how many calls may wait for one turn. */
  public int waiters() {
    return parts.waiters;
  }

  /** Returns how long a call waits for its turn at most. */
  public Duration longestWait() {
    return parts.longestWait;
  }

  /** Returns how long the host may take to give the secrets of a call. */
  public Duration secretsLimit() {
    return parts.secretsLimit;
  }

  /** Returns the change to how patient and persistent each call is. */
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

  /** Collects the parts of a {@link ControllerSettings}. */
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
     * Says which calls wait for each other that attach volumes to nodes, or detach them. All of a
     * plugin by default.
     */
    public Builder attaching(Concurrency value) {
      attaching = Objects.requireNonNull(value, "attaching");
      return this;
    }

    /** Says which of the other calls wait for each other. Those for the same volume by default. */
    public Builder others(Concurrency value) {
      others = Objects.requireNonNull(value, "others");
      return this;
    }

    /** Limits how many calls may wait for one turn. 1000 by default. */
    public Builder waiters(int value) {
      waiters = value;
      return this;
    }

    /**
     * Limits how long a call waits for its turn among those of this controller, and how long a
     * request waits in all for the work of other control planes. 10 minutes by default.
     */
    public Builder longestWait(Duration value) {
      longestWait = Objects.requireNonNull(value, "longestWait");
      return this;
    }

    /** Limits how long the host may take to give the secrets of a call. 60 s by default. */
    public Builder secretsLimit(Duration value) {
      secretsLimit = Objects.requireNonNull(value, "secretsLimit");
      return this;
    }

    /**
     * Changes how patient and persistent each call is. By default each is as its operation has it.
     */
    public Builder policy(UnaryOperator<CallPolicy.Builder> value) {
      policy = Objects.requireNonNull(value, "policy");
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a part makes no sense
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
    /** Those for one volume. */
    PER_VOLUME,
    /** Those for one volume, and those for one node. */
    PER_NODE,
    /** All of them: for storage systems whose calls for two volumes disturb each other. */
    PER_PLUGIN
  }
}
