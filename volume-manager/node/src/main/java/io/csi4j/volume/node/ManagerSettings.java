package io.csi4j.volume.node;

import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.VolumePermission;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The limits of a manager, and its host's terms for mounts. Immutable; compares by value.
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

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns how long a blocking call waits for its operation. */
  public Duration patience() {
    return parts.patience;
  }

  /** Returns how many operations may wait for one volume. */
  public int waiters() {
    return parts.waiters;
  }

  /** Returns how long what is left of a volume is remembered. */
  public Duration tombstones() {
    return parts.tombstones;
  }

  /** Returns how long closing waits for what is being done. */
  public Duration closing() {
    return parts.closing;
  }

  /** Returns how many threads work for volumes. */
  public int threads() {
    return parts.threads;
  }

  /** Returns how many events may wait for a slow listener. */
  public int events() {
    return parts.events;
  }

  /** Returns how long the host may take to give the secrets of a call. */
  public Duration secretsLimit() {
    return parts.secretsLimit;
  }

  /** Returns who may use which volume. */
  public VolumePermission permission() {
    return parts.permission;
  }

  /** Returns which mount flags a request may have, and which every mount gets. */
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

  /** Collects the parts of a {@link ManagerSettings}. */
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

    /** Limits how many operations may wait for one volume. 64 by default. */
    public Builder waiters(int value) {
      waiters = value;
      return this;
    }

    /** Sets how long what is left of a volume is remembered. 10 minutes by default. */
    public Builder tombstones(Duration value) {
      tombstones = Objects.requireNonNull(value, "tombstones");
      return this;
    }

    /** Limits how long closing waits for what is being done. 10 s by default. */
    public Builder closing(Duration value) {
      closing = Objects.requireNonNull(value, "closing");
      return this;
    }

    /** Sets how many threads work for volumes. 8 by default. */
    public Builder threads(int value) {
      threads = value;
      return this;
    }

    /** Limits how many events may wait for a slow listener. 10 000 by default. */
    public Builder events(int value) {
      events = value;
      return this;
    }

    /** Limits how long the host may take to give the secrets of a call. 60 s by default. */
    public Builder secretsLimit(Duration value) {
      secretsLimit = Objects.requireNonNull(value, "secretsLimit");
      return this;
    }

    /**
     * Sets who may use which volume; asked before anything is done for a mount. Everybody by
     * default.
     */
    public Builder permission(VolumePermission value) {
      permission = Objects.requireNonNull(value, "permission");
      return this;
    }

    /**
     * Sets which mount flags a request may have, and which every mount gets. Any, and none, by
     * default.
     */
    public Builder mountFlags(MountFlagPolicy value) {
      mountFlags = Objects.requireNonNull(value, "mountFlags");
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if a part makes no sense
     */
    public ManagerSettings build() {
      return new ManagerSettings(this);
    }
  }
}
