package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The patience and the strictness of the manager with a plugin. Immutable; compares by value.
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

  /** Number of refusals of a plugin before a use is given up without its confirmation. */
  public static final int REFUSALS = 5;

  /** Shortest time between the first of these refusals and the last. */
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

  /** Begins with this policy. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns how long one call may take before it is cancelled. */
  public Duration attemptDeadline() {
    return parts.attemptDeadline;
  }

  /** Returns how often a call is made within one operation. */
  public int attempts() {
    return parts.attempts;
  }

  /** Returns the longest first pause between two attempts; it doubles each time. */
  public Duration backoff() {
    return parts.backoff;
  }

  /** Returns the longest pause within an operation. */
  public Duration backoffCap() {
    return parts.backoffCap;
  }

  /** Returns the longest pause between two tries in the background. */
  public Duration backgroundCap() {
    return parts.backgroundCap;
  }

  /**
   * Returns how many repeats the plugin may get at once, for all its volumes together; 0 for any
   * number.
   */
  public int retryBudget() {
    return parts.retryBudget;
  }

  /** Returns the time after which one more repeat may be made once the budget is used up. */
  public Duration retryRefill() {
    return parts.retryRefill;
  }

  /**
   * Returns how long a call whose end is not known is taken to be still going on in the plugin:
   * until then only the same call is made for that path.
   */
  public Duration quarantine() {
    return parts.quarantine;
  }

  /** Returns how many calls may be open at a time. */
  public int callsInFlight() {
    return parts.callsInFlight;
  }

  /** Whether a published filesystem has to be a mount. */
  public boolean requireMount() {
    return parts.requireMount;
  }

  /** Whether a staged volume has to be a mount; the spec leaves it open. */
  public boolean requireStagingMount() {
    return parts.requireStagingMount;
  }

  /** Whether a published block volume has to be a device node. */
  public boolean requireDevice() {
    return parts.requireDevice;
  }

  /** Returns what is done about a mount whose server has ended. */
  public OnDeadMount onDeadMount() {
    return parts.onDeadMount;
  }

  /**
   * Returns how often a plugin may say that it does not know a volume which is still mounted and
   * not wanted any more, or answer OK without a change, before the manager unmounts it itself; 0
   * for never.
   */
  public int forceAfterRefusals() {
    return parts.forceAfterRefusals;
  }

  /** Returns how far the manager goes to unmount a dead mount that its plugin has left. */
  public DeadUnmount unmountDead() {
    return parts.unmountDead;
  }

  /**
   * Whether a use is taken for gone that the plugin refuses to release, again and again, although
   * nothing is mounted for it any more.
   */
  public boolean releaseUnconfirmed() {
    return parts.releaseUnconfirmed;
  }

  /**
   * Whether a published filesystem may not be a directory of the host's own disk, as that of
   * plugins for development is.
   */
  public boolean refuseHostDisk() {
    return parts.refuseHostDisk;
  }

  /**
   * Whether a volume is unstaged although what is mounted at its staging path is mounted by another
   * program too.
   */
  public boolean unstageMountedElsewhere() {
    return parts.unstageMountedElsewhere;
  }

  /** Whether the device of a raw block volume is held open while it is published. */
  public boolean holdDevices() {
    return parts.holdDevices;
  }

  /** Whether the plugin mounts with the label of SELinux that is given to it as a mount flag. */
  public boolean takesSelinuxLabel() {
    return parts.takesSelinuxLabel;
  }

  /**
   * Returns the pause between two rounds of questions for the health of the plugin's volumes and
   * its storage; zero if it is asked by {@code VolumeManager.health} only.
   */
  public Duration healthInterval() {
    return parts.healthInterval;
  }

  /**
   * Returns whether new mounts are refused while the plugin says that it cannot reach its storage.
   */
  public boolean refuseUnreachableStorage() {
    return parts.refuseUnreachableStorage;
  }

  /**
   * Returns the longest pause between two publications of a volume with secrets that are asked for
   * again; zero if volumes are refreshed by {@code VolumeManager.refresh} only.
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

  /** Collects the parts of a {@link MountPolicy}. */
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

    /** Limits one call. 2 minutes by default. */
    public Builder attemptDeadline(Duration value) {
      attemptDeadline = Objects.requireNonNull(value, "attemptDeadline");
      return this;
    }

    /** Limits how often a call is made within one operation. 3 times by default. */
    public Builder attempts(int value) {
      attempts = value;
      return this;
    }

    /** Sets the longest first pause between two attempts. 100 ms by default. */
    public Builder backoff(Duration value) {
      backoff = Objects.requireNonNull(value, "backoff");
      return this;
    }

    /** Sets the longest pause within an operation. 30 s by default. */
    public Builder backoffCap(Duration value) {
      backoffCap = Objects.requireNonNull(value, "backoffCap");
      return this;
    }

    /** Sets the longest pause between two tries in the background. 5 minutes by default. */
    public Builder backgroundCap(Duration value) {
      backgroundCap = Objects.requireNonNull(value, "backgroundCap");
      return this;
    }

    /**
     * Limits how many repeats the plugin may get at once: further attempts of operations, and what
     * is tried again in the background, for all volumes together. A repeat that finds the budget
     * used up waits until time ({@link #retryRefill}) or a success of the plugin gives one back;
     * those for which a caller waits go first. The first try of anything is never held back. 100 by
     * default; 0 for any number.
     */
    public Builder retryBudget(int value) {
      retryBudget = value;
      return this;
    }

    /**
     * Sets the time after which one more repeat may be made once the {@link #retryBudget} is used
     * up; so it limits the repeats of a plugin that fails for long. 200 ms by default, which is 5 a
     * second.
     */
    public Builder retryRefill(Duration value) {
      retryRefill = Objects.requireNonNull(value, "retryRefill");
      return this;
    }

    /**
     * Sets how long a call whose end is not known is taken to be still going on in the plugin. 4
     * minutes by default.
     */
    public Builder quarantine(Duration value) {
      quarantine = Objects.requireNonNull(value, "quarantine");
      return this;
    }

    /** Limits how many calls may be open at a time. 32 by default. */
    public Builder callsInFlight(int value) {
      callsInFlight = value;
      return this;
    }

    /**
     * Says whether a published filesystem has to be a mount. By default it has to; that of a plugin
     * that makes plain directories is none.
     */
    public Builder requireMount(boolean value) {
      requireMount = value;
      return this;
    }

    /**
     * Says whether a staged volume has to be a mount: for a plugin that always mounts at the
     * staging path. Not by default.
     */
    public Builder requireStagingMount(boolean value) {
      requireStagingMount = value;
      return this;
    }

    /** Says whether a published block volume has to be a device node. By default it has to. */
    public Builder requireDevice(boolean value) {
      requireDevice = value;
      return this;
    }

    /** Says what is done about a mount whose server has ended. It is reported by default. */
    public Builder onDeadMount(OnDeadMount value) {
      onDeadMount = Objects.requireNonNull(value, "onDeadMount");
      return this;
    }

    /**
     * Allows the manager to unmount what is still mounted, not wanted any more, and unknown to the
     * plugin, once the plugin has said so this many times; or once it has answered OK this many
     * times in a row and left as much mounted as before. The device behind it may stay attached. 0,
     * which is the default, for never.
     */
    public Builder forceAfterRefusals(int value) {
      forceAfterRefusals = value;
      return this;
    }

    /**
     * Limits how far the manager goes to unmount dead mounts, which a plugin was asked to take away
     * and has left. Lazily if need be, by default.
     */
    public Builder unmountDead(DeadUnmount value) {
      unmountDead = Objects.requireNonNull(value, "unmountDead");
      return this;
    }

    /**
     * Says whether a use is given up that the plugin refuses to unpublish although the mount table
     * shows nothing of it any more: after at least {@value #REFUSALS} refusals over at least {@link
     * #REFUSED_FOR}, with no call of ours going on in the plugin. Plugins that fail when nothing is
     * mounted would keep it for ever otherwise. Only for a use whose mount was seen. It is given up
     * by default.
     */
    public Builder releaseUnconfirmed(boolean value) {
      releaseUnconfirmed = value;
      return this;
    }

    /**
     * For a host whose own disk holds no volumes: refuses a published filesystem that is a
     * directory of it. Otherwise, which is the default, it is reported once for a plugin.
     */
    public Builder refuseHostDisk(boolean value) {
      refuseHostDisk = value;
      return this;
    }

    /**
     * Has a volume unstaged although another program has mounted its device since it was staged.
     * Otherwise, which is the default, its release is refused ({@code MOUNTED_ELSEWHERE}, with the
     * paths) and goes on once the other mounts are gone. Only a staging that is a mount of a block
     * device is looked at, and only the mounts that the mount namespace of this process shows. For
     * a plugin that mounts a staged device again at a place that it does not clear before it is
     * asked to unstage the volume.
     */
    public Builder unstageMountedElsewhere(boolean value) {
      unstageMountedElsewhere = value;
      return this;
    }

    /**
     * Has the device of a raw block volume held open, for reading, from when it is published until
     * the plugin is asked to unpublish it. Meanwhile the kernel gives the number of the device to
     * no other, and does not detach a loop device. A device that cannot be opened is published all
     * the same, and that is reported ({@code DEVICE_NOT_HELD}). None is held by default.
     */
    public Builder holdDevices(boolean value) {
      holdDevices = value;
      return this;
    }

    /**
     * Says that the plugin mounts with {@code -o context=}: the label of a request goes to it as a
     * mount flag when a volume is staged and published, and the files need not be relabelled. For
     * plugins whose {@code CSIDriver} of Kubernetes says {@code seLinuxMount: true}; others fail
     * with the flag, or leave it out. No plugin is given a label by default.
     */
    public Builder takesSelinuxLabel(boolean value) {
      takesSelinuxLabel = value;
      return this;
    }

    /**
     * Sets the pause between two rounds of questions for the health of the plugin's volumes and its
     * storage. The pause is spread by a fifth, and grows up to 16 times while the plugin does not
     * answer. With zero the plugin is asked by {@code VolumeManager.health} only. 1 minute by
     * default.
     */
    public Builder healthInterval(Duration value) {
      healthInterval = Objects.requireNonNull(value, "healthInterval");
      return this;
    }

    /**
     * Refuses new mounts while the plugin says that it cannot reach its storage from this node.
     * Mounts that are there stay. Otherwise, which is the default, it is only reported.
     */
    public Builder refuseUnreachableStorage(boolean value) {
      refuseUnreachableStorage = value;
      return this;
    }

    /**
     * Has every published volume of the plugin published again at the latest after this time, with
     * the contexts of its last mount or refresh, and with secrets that its {@link SecretsProvider}
     * is asked for again: for plugins that hand tokens or certificates on, which expire. The pause
     * is up to a fifth shorter. With zero, which is the default, volumes are refreshed by {@code
     * VolumeManager.refresh} only.
     */
    public Builder refreshInterval(Duration value) {
      refreshInterval = Objects.requireNonNull(value, "refreshInterval");
      return this;
    }

    /**
     * Returns the policy.
     *
     * @throws IllegalArgumentException if a part makes no sense
     */
    public MountPolicy build() {
      return new MountPolicy(this);
    }
  }

  /**
   * How far the manager goes to unmount a dead mount itself, once its plugin was asked to take it
   * away and has left it. Without a server nothing can be written to such a mount, so nothing can
   * be lost there; only mounts that the manager has recorded are touched.
   *
   * @since 1.0
   */
  public enum DeadUnmount {
    /** Not at all: the message of the failure has the command for a person. */
    NEVER,
    /** With a plain unmount, which fails while a process uses the mount. */
    PLAIN,
    /**
     * As {@link #PLAIN}, after its connection was given up, which frees the processes that wait for
     * it.
     */
    FORCE,
    /**
     * As {@link #FORCE}; what is still in use then is detached, and its users see errors until they
     * open their files again.
     */
    LAZY
  }

  /**
   * The answer to a mount whose server has ended, as when a plugin that serves its volumes by
   * itself was started again, and about one that another program took away. A workload that has the
   * dead mount open sees errors until it opens it again, in any case.
   *
   * @since 1.0
   */
  public enum OnDeadMount {
    /** The mount is told of, and stays until it is released. */
    REPORT,
    /** The mount is told of, and its target is unpublished and published again. */
    REPUBLISH,
    /**
     * The mount is told of, and all dead targets of the volume are unpublished; when none is left,
     * the volume is unstaged and staged again; then they are published again. For plugins that
     * serve a volume at its staging path.
     */
    REMOUNT,
    /** Dead mounts are not looked for. */
    LEAVE
  }
}
