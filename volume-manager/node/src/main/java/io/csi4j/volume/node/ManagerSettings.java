package io.csi4j.volume.node;

import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.VolumePermission;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Limits of a manager, and the host's rules for mounts. Immutable; compares by value.
 *
 * @since 1.0
 */
public final class ManagerSettings {

  private static final ManagerSettings DEFAULTS = builder().build();

  private final Builder parts;

  private ManagerSettings(Builder parts) {
    Durations.positive("patience", parts.patience);
    Durations.positive("time for secrets", parts.secretsLimit);
    Durations.notNegative("time for tombstones", parts.tombstones);
    Durations.notNegative("time for closing", parts.closing);
    if (parts.waiters < 1 || parts.threads < 1 || parts.events < 1) {
      throw new IllegalArgumentException("At least one waiter, thread and event are needed.");
    }
    this.parts = parts.copy();
  }

  /** Returns settings that suit most hosts. */
  public static ManagerSettings defaults() {
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

  /** Returns how long a blocking call waits for its operation. */
  public Duration patience() {
    return parts.patience;
  }

  /** Returns the maximum number of operations that wait for one volume. */
  public int waiters() {
    return parts.waiters;
  }

  /** Returns how long the manager remembers a volume after its last use. */
  public Duration tombstones() {
    return parts.tombstones;
  }

  /** Returns how long closing the manager waits for running operations. */
  public Duration closing() {
    return parts.closing;
  }

  /** Returns the number of threads that perform volume operations. */
  public int threads() {
    return parts.threads;
  }

  /** Returns the maximum number of events that the manager queues for a slow listener. */
  public int events() {
    return parts.events;
  }

  /** Returns the time limit for the host to provide the secrets of a call. */
  public Duration secretsLimit() {
    return parts.secretsLimit;
  }

  /** Returns the rule that decides which workload may use which volume. */
  public VolumePermission permission() {
    return parts.permission;
  }

  /**
   * Returns the policy for mount flags: the flags that a request may set, and the flags that the
   * manager adds to every mount.
   */
  public MountFlagPolicy mountFlags() {
    return parts.mountFlags;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ManagerSettings that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "ManagerSettings" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("patience", parts.patience);
    all.put("waiters", parts.waiters);
    all.put("tombstones", parts.tombstones);
    all.put("closing", parts.closing);
    all.put("threads", parts.threads);
    all.put("events", parts.events);
    all.put("secretsLimit", parts.secretsLimit);
    all.put("permission", parts.permission);
    all.put("mountFlags", parts.mountFlags);
    return all;
  }

  /** A builder for {@link ManagerSettings}. */
  public static final class Builder {
    private Duration patience = Duration.ofMinutes(5);
    private int waiters = 64;
    private Duration tombstones = Duration.ofMinutes(10);
    private Duration closing = Duration.ofSeconds(10);
    private int threads = 8;
    private int events = 10_000;
    private Duration secretsLimit = Duration.ofSeconds(60);
    private VolumePermission permission = VolumePermission.everybody();
    private MountFlagPolicy mountFlags = MountFlagPolicy.any();

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.patience = patience;
      copy.waiters = waiters;
      copy.tombstones = tombstones;
      copy.closing = closing;
      copy.threads = threads;
      copy.events = events;
      copy.secretsLimit = secretsLimit;
      copy.permission = permission;
      copy.mountFlags = mountFlags;
      return copy;
    }

    /** Limits how long a blocking call waits for its operation. 5 minutes by default. */
    public Builder patience(Duration value) {
      patience = Objects.requireNonNull(value, "patience");
      return this;
    }

    /** Limits the number of operations that wait for one volume. 64 by default. */
    public Builder waiters(int value) {
      waiters = value;
      return this;
    }

    /** Sets how long the manager remembers a volume after its last use. 10 minutes by default. */
    public Builder tombstones(Duration value) {
      tombstones = Objects.requireNonNull(value, "tombstones");
      return this;
    }

    /** Limits how long closing the manager waits for running operations. 10 s by default. */
    public Builder closing(Duration value) {
      closing = Objects.requireNonNull(value, "closing");
      return this;
    }

    /** Sets the number of threads that perform volume operations. 8 by default. */
    public Builder threads(int value) {
      threads = value;
      return this;
    }

    /**
     * Limits the number of events that the manager queues for a slow listener. 10 000 by default.
     */
    public Builder events(int value) {
      events = value;
      return this;
    }

    /** Limits the time for the host to provide the secrets of a call. 60 s by default. */
    public Builder secretsLimit(Duration value) {
      secretsLimit = Objects.requireNonNull(value, "secretsLimit");
      return this;
    }

    /**
     * Sets the rule that decides which workload may use which volume. The manager applies the rule
     * before any other step of a mount. By default every workload may use every volume.
     */
    public Builder permission(VolumePermission value) {
      permission = Objects.requireNonNull(value, "permission");
      return this;
    }

    /**
     * Sets the policy for mount flags: the flags that a request may set, and the flags that the
     * manager adds to every mount. By default a request may set any flag, and the manager adds
     * none.
     */
    public Builder mountFlags(MountFlagPolicy value) {
      mountFlags = Objects.requireNonNull(value, "mountFlags");
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public ManagerSettings build() {
      return new ManagerSettings(this);
    }
  }
}
