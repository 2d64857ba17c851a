package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The timeouts, retries and checks that the manager uses with a plugin. Immutable, with value
 * equality.
 *
 * <pre>{@code
 * MountPolicy policy =
 *     MountPolicy.builder()
 *         .requireStagingMount(true) // this plugin always mounts at the staging path
 *         .unstageMountedElsewhere(true) // and mounts the device for itself, too
 *         .holdDevices(true) // its devices could be detached by others
 *         .refreshInterval(Duration.ofMinutes(30)) // its tokens expire after an hour
 *         .retryBudget(20) // it gets 20 repeats at once, for all its volumes
 *         .build();
 * PluginBinding binding = PluginBinding.builder(id, endpoint).policy(policy).build();
 * }</pre>
 *
 * @since 1.0
 */
public final class MountPolicy {

  /**
   * Number of refusals by a plugin after which a use is dropped without the plugin's confirmation.
   */
  public static final int REFUSALS = 5;

  /** Minimum time between the first and the last of these refusals. */
  public static final Duration REFUSED_FOR = Duration.ofMinutes(2);

  private static final int MOST_REPEATS = 100_000;

  private static final Duration LONGEST_REFILL = Duration.ofHours(1);

  private static final MountPolicy DEFAULTS = builder().build();

  private final Builder parts;

  private MountPolicy(Builder parts) {
    Durations.positive("attempt deadline", parts.attemptDeadline);
    Durations.positive("back-off", parts.backoff);
    Durations.positive("back-off cap", parts.backoffCap);
    Durations.positive("background cap", parts.backgroundCap);
    Durations.positive("retry refill", parts.retryRefill);
    Durations.notNegative("quarantine", parts.quarantine);
    Durations.notNegative("health interval", parts.healthInterval);
    Durations.notNegative("refresh interval", parts.refreshInterval);
    if (parts.attempts < 1 || parts.callsInFlight < 1) {
      throw new IllegalArgumentException("At least one attempt and one call at a time are needed.");
    }
    if (parts.forceAfterRefusals < 0) {
      throw new IllegalArgumentException(
          "The number of refusals is negative: " + parts.forceAfterRefusals + ".");
    }
    if (parts.retryBudget < 0 || parts.retryBudget > MOST_REPEATS) {
      throw new IllegalArgumentException(
          "The retry budget is between 0 and " + MOST_REPEATS + ", not " + parts.retryBudget + ".");
    }
    if (parts.retryRefill.compareTo(LONGEST_REFILL) > 0) {
      throw new IllegalArgumentException(
          "The retry refill is at most " + LONGEST_REFILL + ", not " + parts.retryRefill + ".");
    }
    this.parts = parts.copy();
  }

  /** Returns a policy that suits most plugins. */
  public static MountPolicy defaults() {
    return DEFAULTS;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with this policy. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the time limit of one call. */
  public Duration attemptDeadline() {
    return parts.attemptDeadline;
  }

  /** Returns the maximum number of attempts of a call within one operation. */
  public int attempts() {
    return parts.attempts;
  }

  /**
   * Returns the upper limit of the first pause between two attempts. The limit doubles with each
   * further pause.
   */
  public Duration backoff() {
    return parts.backoff;
  }

  /** Returns the longest pause between two attempts within an operation. */
  public Duration backoffCap() {
    return parts.backoffCap;
  }

  /** Returns the longest pause between two background retries. */
  public Duration backgroundCap() {
    return parts.backgroundCap;
  }

  /**
   * Returns the maximum number of immediate retries for all volumes of the plugin together; 0 means
   * no limit.
   */
  public int retryBudget() {
    return parts.retryBudget;
  }

  /** Returns the time after which another retry is permitted once the budget is used up. */
  public Duration retryRefill() {
    return parts.retryRefill;
  }

  /**
   * Returns how long a call without an answer is assumed to be still running in the plugin. During
   * this time, the manager makes only the same call for that path.
   */
  public Duration quarantine() {
    return parts.quarantine;
  }

  /** Returns the maximum number of concurrent calls to the plugin. */
  public int callsInFlight() {
    return parts.callsInFlight;
  }

  /** Whether a published filesystem must be a mount. */
  public boolean requireMount() {
    return parts.requireMount;
  }

  /**
   * Whether a staged volume must be a mount, although CSI does not require plugins to mount at the
   * staging path.
   */
  public boolean requireStagingMount() {
    return parts.requireStagingMount;
  }

  /** Whether a published block volume must be a device node. */
  public boolean requireDevice() {
    return parts.requireDevice;
  }

  /** Returns the reaction to a dead mount, such as a mount whose server process has ended. */
  public OnDeadMount onDeadMount() {
    return parts.onDeadMount;
  }

  /**
   * Returns how often a plugin may fail to unmount a volume that is no longer wanted, before the
   * manager unmounts it without the plugin. An answer that the volume is unknown counts as a
   * failure, and so does an answer of OK that leaves the volume mounted. 0 means that the manager
   * never unmounts without the plugin.
   */
  public int forceAfterRefusals() {
    return parts.forceAfterRefusals;
  }

  /**
   * Returns which methods the manager may use to unmount a dead mount that the plugin has not
   * unmounted.
   */
  public DeadUnmount unmountDead() {
    return parts.unmountDead;
  }

  /**
   * Whether a use counts as released if the plugin repeatedly refuses to unpublish it although its
   * volume is no longer mounted.
   */
  public boolean releaseUnconfirmed() {
    return parts.releaseUnconfirmed;
  }

  /**
   * Whether a published filesystem is refused if it is only a directory on the host's own disk.
   * Plugins for development provide such directories.
   */
  public boolean refuseHostDisk() {
    return parts.refuseHostDisk;
  }

  /**
   * Whether a volume is unstaged although another program has also mounted the device at its
   * staging path.
   */
  public boolean unstageMountedElsewhere() {
    return parts.unstageMountedElsewhere;
  }

  /**
   * Whether the manager holds the device of a raw block volume open while the volume is published.
   */
  public boolean holdDevices() {
    return parts.holdDevices;
  }

  /** Whether the plugin accepts an SELinux label as a mount flag and mounts with this label. */
  public boolean takesSelinuxLabel() {
    return parts.takesSelinuxLabel;
  }

  /**
   * Returns the interval between queries of the health of the plugin's volumes and storage. Zero
   * means that only {@code VolumeManager.health} queries the health.
   */
  public Duration healthInterval() {
    return parts.healthInterval;
  }

  /** Whether new mounts are refused while the plugin reports that it cannot reach its storage. */
  public boolean refuseUnreachableStorage() {
    return parts.refuseUnreachableStorage;
  }

  /**
   * Returns the maximum interval after which a volume is published again with new secrets. Zero
   * means that only {@code VolumeManager.refresh} refreshes volumes.
   */
  public Duration refreshInterval() {
    return parts.refreshInterval;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MountPolicy that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "MountPolicy" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("attemptDeadline", parts.attemptDeadline);
    all.put("attempts", parts.attempts);
    all.put("backoff", parts.backoff);
    all.put("backoffCap", parts.backoffCap);
    all.put("backgroundCap", parts.backgroundCap);
    all.put("retryBudget", parts.retryBudget);
    all.put("retryRefill", parts.retryRefill);
    all.put("quarantine", parts.quarantine);
    all.put("callsInFlight", parts.callsInFlight);
    all.put("requireMount", parts.requireMount);
    all.put("requireStagingMount", parts.requireStagingMount);
    all.put("requireDevice", parts.requireDevice);
    all.put("onDeadMount", parts.onDeadMount);
    all.put("forceAfterRefusals", parts.forceAfterRefusals);
    all.put("unmountDead", parts.unmountDead);
    all.put("releaseUnconfirmed", parts.releaseUnconfirmed);
    all.put("refuseHostDisk", parts.refuseHostDisk);
    all.put("unstageMountedElsewhere", parts.unstageMountedElsewhere);
    all.put("holdDevices", parts.holdDevices);
    all.put("takesSelinuxLabel", parts.takesSelinuxLabel);
    all.put("healthInterval", parts.healthInterval);
    all.put("refuseUnreachableStorage", parts.refuseUnreachableStorage);
    all.put("refreshInterval", parts.refreshInterval);
    return all;
  }

  /** Builder of a {@link MountPolicy}. */
  public static final class Builder {
    private Duration attemptDeadline = Duration.ofMinutes(2);
    private int attempts = 3;
    private Duration backoff = Duration.ofMillis(100);
    private Duration backoffCap = Duration.ofSeconds(30);
    private Duration backgroundCap = Duration.ofMinutes(5);
    private int retryBudget = 100;
    private Duration retryRefill = Duration.ofMillis(200);
    private Duration quarantine = Duration.ofMinutes(4);
    private int callsInFlight = 32;
    private boolean requireMount = true;
    private boolean requireStagingMount;
    private boolean requireDevice = true;
    private OnDeadMount onDeadMount = OnDeadMount.REPORT;
    private int forceAfterRefusals;
    private DeadUnmount unmountDead = DeadUnmount.LAZY;
    private boolean releaseUnconfirmed = true;
    private boolean refuseHostDisk;
    private boolean unstageMountedElsewhere;
    private boolean holdDevices;
    private boolean takesSelinuxLabel;
    private Duration healthInterval = Duration.ofMinutes(1);
    private boolean refuseUnreachableStorage;
    private Duration refreshInterval = Duration.ZERO;

    private Builder() {}

    private Builder copy() {
      Builder copy = new Builder();
      copy.attemptDeadline = attemptDeadline;
      copy.attempts = attempts;
      copy.backoff = backoff;
      copy.backoffCap = backoffCap;
      copy.backgroundCap = backgroundCap;
      copy.retryBudget = retryBudget;
      copy.retryRefill = retryRefill;
      copy.quarantine = quarantine;
      copy.callsInFlight = callsInFlight;
      copy.requireMount = requireMount;
      copy.requireStagingMount = requireStagingMount;
      copy.requireDevice = requireDevice;
      copy.onDeadMount = onDeadMount;
      copy.forceAfterRefusals = forceAfterRefusals;
      copy.unmountDead = unmountDead;
      copy.releaseUnconfirmed = releaseUnconfirmed;
      copy.refuseHostDisk = refuseHostDisk;
      copy.unstageMountedElsewhere = unstageMountedElsewhere;
      copy.holdDevices = holdDevices;
      copy.takesSelinuxLabel = takesSelinuxLabel;
      copy.healthInterval = healthInterval;
      copy.refuseUnreachableStorage = refuseUnreachableStorage;
      copy.refreshInterval = refreshInterval;
      return copy;
    }

    /** Sets the time limit of one call. The default is 2 minutes. */
    public Builder attemptDeadline(Duration value) {
      attemptDeadline = Objects.requireNonNull(value, "attemptDeadline");
      return this;
    }

    /** Sets the maximum number of attempts of a call within one operation. The default is 3. */
    public Builder attempts(int value) {
      attempts = value;
      return this;
    }

    /** Sets the upper limit of the first pause between two attempts. The default is 100 ms. */
    public Builder backoff(Duration value) {
      backoff = Objects.requireNonNull(value, "backoff");
      return this;
    }

    /** Sets the longest pause between two attempts within an operation. The default is 30 s. */
    public Builder backoffCap(Duration value) {
      backoffCap = Objects.requireNonNull(value, "backoffCap");
      return this;
    }

    /** Sets the longest pause between two background retries. The default is 5 minutes. */
    public Builder backgroundCap(Duration value) {
      backgroundCap = Objects.requireNonNull(value, "backgroundCap");
      return this;
    }

    /**
     * Sets the maximum number of immediate retries for all volumes of the plugin together. Both
     * repeated attempts within operations and background retries count. When the budget is used up,
     * each further retry waits until one more retry is permitted: after the time {@link
     * #retryRefill}, or after a successful call to the plugin. Retries with a waiting caller go
     * first. First attempts are never delayed. The default is 100; 0 means no limit.
     */
    public Builder retryBudget(int value) {
      retryBudget = value;
      return this;
    }

    /**
     * Sets the time after which another retry is permitted once the {@link #retryBudget} is used
     * up. This limits the rate of retries while a plugin keeps failing. The default is 200 ms,
     * which permits 5 retries a second.
     */
    public Builder retryRefill(Duration value) {
      retryRefill = Objects.requireNonNull(value, "retryRefill");
      return this;
    }

    /**
     * Sets how long a call without an answer is assumed to be still running in the plugin. The
     * default is 4 minutes.
     */
    public Builder quarantine(Duration value) {
      quarantine = Objects.requireNonNull(value, "quarantine");
      return this;
    }

    /** Sets the maximum number of concurrent calls to the plugin. The default is 32. */
    public Builder callsInFlight(int value) {
      callsInFlight = value;
      return this;
    }

    /**
     * Sets whether a published filesystem must be a mount. The default is true; disable it for a
     * plugin that provides plain directories.
     */
    public Builder requireMount(boolean value) {
      requireMount = value;
      return this;
    }

    /**
     * Sets whether a staged volume must be a mount. Enable this for a plugin that always mounts at
     * the staging path. The default is false.
     */
    public Builder requireStagingMount(boolean value) {
      requireStagingMount = value;
      return this;
    }

    /** Sets whether a published block volume must be a device node. The default is true. */
    public Builder requireDevice(boolean value) {
      requireDevice = value;
      return this;
    }

    /**
     * Sets the reaction to a dead mount, such as a mount whose server process has ended. By
     * default, the mount is only reported.
     */
    public Builder onDeadMount(OnDeadMount value) {
      onDeadMount = Objects.requireNonNull(value, "onDeadMount");
      return this;
    }

    /**
     * Permits the manager to unmount a volume without the plugin if the volume is no longer wanted
     * and the plugin does not unmount it. The manager does so after this number of answers that the
     * volume is unknown, or after this number of consecutive answers of OK that left the volume
     * mounted. The device of the volume may stay attached. The default is 0, which means never.
     */
    public Builder forceAfterRefusals(int value) {
      forceAfterRefusals = value;
      return this;
    }

    /**
     * Sets which methods the manager may use to unmount a dead mount after the plugin was called to
     * unmount it and did not. By default, all methods are permitted, including a lazy unmount.
     */
    public Builder unmountDead(DeadUnmount value) {
      unmountDead = Objects.requireNonNull(value, "unmountDead");
      return this;
    }

    /**
     * Sets whether a use is dropped if the plugin refuses to unpublish it although the mount table
     * shows no mount of it any more. This requires at least {@value #REFUSALS} refusals over at
     * least {@link #REFUSED_FOR}, and that no call of csi4j is running in the plugin. If disabled,
     * a use is never released when its plugin fails to unpublish a volume that is not mounted.
     * Applies only to a use whose mount was seen. The default is true.
     */
    public Builder releaseUnconfirmed(boolean value) {
      releaseUnconfirmed = value;
      return this;
    }

    /**
     * Refuses a published filesystem that is only a directory on the host's own disk. Enable this
     * on a host whose disk holds no volumes. By default, such a directory is only reported, once
     * for each plugin.
     */
    public Builder refuseHostDisk(boolean value) {
      refuseHostDisk = value;
      return this;
    }

    /**
     * Permits unstaging a volume although another program has mounted the volume's device since the
     * staging. By default, the release of the volume fails with {@code MOUNTED_ELSEWHERE} and the
     * paths, and continues after the other mounts are gone. The manager checks only volumes whose
     * staging is a mount of a block device, and sees only the mounts in its own mount namespace.
     * Enable this for a plugin that mounts a staged device at a second path and removes that mount
     * only when it unstages the volume.
     */
    public Builder unstageMountedElsewhere(boolean value) {
      unstageMountedElsewhere = value;
      return this;
    }

    /**
     * Holds the device of a raw block volume open for reading, from its publication until the
     * plugin is called to unpublish it. While the device is open, the kernel does not reuse its
     * device number, and does not detach a loop device. A device that cannot be opened is still
     * published, and the failure is reported ({@code DEVICE_NOT_HELD}). By default, no device is
     * held.
     */
    public Builder holdDevices(boolean value) {
      holdDevices = value;
      return this;
    }

    /**
     * Declares that the plugin mounts with {@code -o context=}. The manager then sends the label of
     * a request as a mount flag when it stages and publishes a volume, and the files need not be
     * relabelled. Enable this for plugins whose {@code CSIDriver} in Kubernetes has {@code
     * seLinuxMount: true}. Other plugins reject the flag or ignore it. By default, no label is
     * sent.
     */
    public Builder takesSelinuxLabel(boolean value) {
      takesSelinuxLabel = value;
      return this;
    }

    /**
     * Sets the interval between queries of the health of the plugin's volumes and storage. The
     * interval is randomized by up to a fifth, and grows to up to 16 times its length while the
     * plugin does not answer. With zero, only {@code VolumeManager.health} queries the health. The
     * default is 1 minute.
     */
    public Builder healthInterval(Duration value) {
      healthInterval = Objects.requireNonNull(value, "healthInterval");
      return this;
    }

    /**
     * Refuses new mounts while the plugin reports that it cannot reach its storage from this node.
     * Existing mounts are not affected. By default, the problem is only reported.
     */
    public Builder refuseUnreachableStorage(boolean value) {
      refuseUnreachableStorage = value;
      return this;
    }

    /**
     * Publishes every volume of the plugin again at this interval. Each call has the contexts of
     * the volume's last mount or refresh, and new secrets from its {@link SecretsProvider}. Use
     * this for plugins whose volumes depend on tokens or certificates that expire. Each interval is
     * shortened at random by up to a fifth. With zero, which is the default, only {@code
     * VolumeManager.refresh} refreshes volumes.
     */
    public Builder refreshInterval(Duration value) {
      refreshInterval = Objects.requireNonNull(value, "refreshInterval");
      return this;
    }

    /**
     * Returns the policy.
     *
     * @throws IllegalArgumentException if a setting is invalid
     */
    public MountPolicy build() {
      return new MountPolicy(this);
    }
  }

  /**
   * The methods that the manager may use to unmount a dead mount after its plugin was called to
   * unmount it and did not. Nothing can be written to a mount without a server, so no data can be
   * lost. The manager unmounts only mounts that it has recorded.
   *
   * @since 1.0
   */
  public enum DeadUnmount {
    /**
     * The manager does not unmount. The failure message contains the command that a person can run.
     */
    NEVER,
    /** A plain unmount, which fails while a process uses the mount. */
    PLAIN,
    /**
     * Like {@link #PLAIN}, but the manager first aborts the mount's connection to its server, so
     * that waiting processes continue with an error.
     */
    FORCE,
    /**
     * Like {@link #FORCE}, but a mount that is still in use is then detached. Processes that use it
     * get errors until they open their files again.
     */
    LAZY
  }

  /**
   * The reaction to a dead mount. A mount is dead if its server process has ended, for example
   * because a plugin that serves its own volumes was restarted, or if another program has unmounted
   * it. With every reaction, a workload with open files on the dead mount gets errors until it
   * opens them again.
   *
   * @since 1.0
   */
  public enum OnDeadMount {
    /** The mount is reported, and stays until the volume is released. */
    REPORT,
    /** The mount is reported, and its target path is unpublished and published again. */
    REPUBLISH,
    /**
     * The mount is reported, and all dead targets of the volume are unpublished. When the volume
     * has no published target left, it is unstaged, staged, and published again. Use this for
     * plugins that serve a volume at its staging path.
     */
    REMOUNT,
    /** Dead mounts are not detected. */
    LEAVE
  }
}
