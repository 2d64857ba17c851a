package io.csi4j.volume.model;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How patient and how strict the manager is with a plugin. Immutable; each {@code with} gives
 * another one.
 *
 * @param attemptDeadline how long one call may take before it is cancelled
 * @param attempts how often a call is made within one operation
 * @param backoff the longest first pause between two attempts; it doubles each time
 * @param backoffCap the longest pause within an operation
 * @param backgroundCap the longest pause between two tries in the background
 * @param quarantine how long a call whose end is not known is taken to be still going on in the
 *     plugin: until then only the same call is made for that path
 * @param callsInFlight how many calls may be open at a time
 * @param requireMount whether a published filesystem has to be a mount
 * @param requireStagingMount whether a staged volume has to be a mount; the spec leaves it open
 * @param requireDevice whether a published block volume has to be a device node
 * @param onDeadMount what is done about a mount whose server has ended
 * @param forceAfterRefusals how often a plugin may say that it does not know a volume which is
 *     still mounted and not wanted any more, before the manager unmounts it itself; 0 for never
 * @param unmountDead how far the manager goes to unmount a dead mount that its plugin has left
 * @param releaseUnconfirmed whether a use is taken for gone that the plugin refuses to release,
 *     again and again, although nothing is mounted for it any more
 * @param refuseHostDisk whether a published filesystem may not be a directory of the host's own
 *     disk, as that of plugins for development is
 */
public record MountPolicy(
    Duration attemptDeadline,
    int attempts,
    Duration backoff,
    Duration backoffCap,
    Duration backgroundCap,
    Duration quarantine,
    int callsInFlight,
    boolean requireMount,
    boolean requireStagingMount,
    boolean requireDevice,
    OnDeadMount onDeadMount,
    int forceAfterRefusals,
    DeadUnmount unmountDead,
    boolean releaseUnconfirmed,
    boolean refuseHostDisk) {

  /** How often a plugin has to refuse before a use is given up without its word. */
  public static final int REFUSALS = 5;

  /** For how long it has to have refused by then. */
  public static final Duration REFUSED_FOR = Duration.ofMinutes(2);

  private static final MountPolicy DEFAULTS = new Parts().policy();

  /** Refuses what makes no sense. */
  public MountPolicy {
    positive("attempt deadline", attemptDeadline);
    positive("back-off", backoff);
    positive("back-off cap", backoffCap);
    positive("background cap", backgroundCap);
    Objects.requireNonNull(quarantine, "quarantine");
    if (quarantine.isNegative()) {
      throw new IllegalArgumentException("The quarantine is negative: " + quarantine + ".");
    }
    if (attempts < 1 || callsInFlight < 1) {
      throw new IllegalArgumentException("At least one attempt and one call at a time are needed.");
    }
    Objects.requireNonNull(onDeadMount, "onDeadMount");
    Objects.requireNonNull(unmountDead, "unmountDead");
    if (forceAfterRefusals < 0) {
      throw new IllegalArgumentException(
          "The number of refusals is negative: " + forceAfterRefusals + ".");
    }
  }

  /** Returns a policy that suits most plugins. */
  public static MountPolicy defaults() {
    return DEFAULTS;
  }

  /** This policy with another limit for one call. */
  public MountPolicy withAttemptDeadline(Duration value) {
    return changed(parts -> parts.attemptDeadline = value);
  }

  /** This policy with another number of attempts. */
  public MountPolicy withAttempts(int value) {
    return changed(parts -> parts.attempts = value);
  }

  /** This policy with other pauses within an operation. */
  public MountPolicy withBackoff(Duration first, Duration cap) {
    return changed(
        parts -> {
          parts.backoff = first;
          parts.backoffCap = cap;
        });
  }

  /** This policy with another longest pause in the background. */
  public MountPolicy withBackgroundCap(Duration value) {
    return changed(parts -> parts.backgroundCap = value);
  }

  /** This policy with another quarantine. */
  public MountPolicy withQuarantine(Duration value) {
    return changed(parts -> parts.quarantine = value);
  }

  /** This policy with another number of calls at a time. */
  public MountPolicy withCallsInFlight(int value) {
    return changed(parts -> parts.callsInFlight = value);
  }

  /** For a plugin whose published filesystems need not be mounts, or have to be. */
  public MountPolicy withRequireMount(boolean value) {
    return changed(parts -> parts.requireMount = value);
  }

  /** For a plugin that always mounts at the staging path, or need not. */
  public MountPolicy withRequireStagingMount(boolean value) {
    return changed(parts -> parts.requireStagingMount = value);
  }

  /** For a plugin whose block volumes may be something else than device nodes, or may not. */
  public MountPolicy withRequireDevice(boolean value) {
    return changed(parts -> parts.requireDevice = value);
  }

  /** For a plugin whose mounts may die, and what is done then. */
  public MountPolicy withOnDeadMount(OnDeadMount value) {
    return changed(parts -> parts.onDeadMount = value);
  }

  /**
   * Allows the manager to unmount by itself what is still mounted, not wanted any more, and unknown
   * to the plugin, once it has said so this many times. The device behind it may stay attached.
   */
  public MountPolicy withForceAfterRefusals(int value) {
    return changed(parts -> parts.forceAfterRefusals = value);
  }

  /**
   * This policy with another limit for unmounting dead mounts, which a plugin was asked to take
   * away and has left.
   */
  public MountPolicy withUnmountDead(DeadUnmount value) {
    return changed(parts -> parts.unmountDead = value);
  }

  /**
   * Whether a use is given up that the plugin refuses to unpublish although the mount table shows
   * nothing of it any more: after at least {@value #REFUSALS} refusals over at least {@link
   * #REFUSED_FOR}, with no call of ours going on in the plugin. Plugins that fail when nothing is
   * mounted would keep it for ever otherwise. Only for a use whose mount was seen.
   */
  public MountPolicy withReleaseUnconfirmed(boolean value) {
    return changed(parts -> parts.releaseUnconfirmed = value);
  }

  /**
   * For a host whose own disk holds no volumes: a published filesystem that is a directory of it is
   * refused. Otherwise it is told once for a plugin.
   */
  public MountPolicy withRefuseHostDisk(boolean value) {
    return changed(parts -> parts.refuseHostDisk = value);
  }

  private MountPolicy changed(Consumer<Parts> change) {
    Parts parts = new Parts();
    parts.attemptDeadline = attemptDeadline;
    parts.attempts = attempts;
    parts.backoff = backoff;
    parts.backoffCap = backoffCap;
    parts.backgroundCap = backgroundCap;
    parts.quarantine = quarantine;
    parts.callsInFlight = callsInFlight;
    parts.requireMount = requireMount;
    parts.requireStagingMount = requireStagingMount;
    parts.requireDevice = requireDevice;
    parts.onDeadMount = onDeadMount;
    parts.forceAfterRefusals = forceAfterRefusals;
    parts.unmountDead = unmountDead;
    parts.releaseUnconfirmed = releaseUnconfirmed;
    parts.refuseHostDisk = refuseHostDisk;
    change.accept(parts);
    return parts.policy();
  }

  /** The parts of a policy while one of them is changed; the defaults at first. */
  private static final class Parts {
    private Duration attemptDeadline = Duration.ofMinutes(2);
    private int attempts = 3;
    private Duration backoff = Duration.ofMillis(100);
    private Duration backoffCap = Duration.ofSeconds(30);
    private Duration backgroundCap = Duration.ofMinutes(5);
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

    MountPolicy policy() {
      return new MountPolicy(
          attemptDeadline,
          attempts,
          backoff,
          backoffCap,
          backgroundCap,
          quarantine,
          callsInFlight,
          requireMount,
          requireStagingMount,
          requireDevice,
          onDeadMount,
          forceAfterRefusals,
          unmountDead,
          releaseUnconfirmed,
          refuseHostDisk);
    }
  }

  private static void positive(String what, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + value + ".");
    }
  }
}
