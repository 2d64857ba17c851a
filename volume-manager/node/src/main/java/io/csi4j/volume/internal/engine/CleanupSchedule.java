package io.csi4j.volume.internal.engine;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Background cleanup and repair of one volume: what is owed is cleaned up, and dead mounts are made
 * again, with pauses. Used in the mailbox of the volume only.
 *
 * <p>After a start, nothing is unmounted before the host has given its list ({@link
 * HostList#isHeard}), but for the uses that a caller has asked about since. From then on everything
 * goes that is on record as given up, and what is on no list.
 */
final class CleanupSchedule {

  private static final Duration FIRST = Duration.ofSeconds(1);

  private final VolumeQueue volume;
  private final DeadMounts dead;
  private Scheduler.@Nullable Timer next;
  private int failed;

  /** True if what is owed was tried before, and failed. */
  private boolean isRepeat;

  /** True if nothing is tried before a person has looked and asked again. */
  private boolean isHeld;

  /**
   * The uses that a caller has asked about since the start, until the host has spoken; those that
   * are over only until the next one is asked about.
   */
  private Set<VolumeUse> commanded = Set.of();

  /** Whether a caller has asked about a use since the start. */
  private boolean isCommanded;

  CleanupSchedule(VolumeQueue volume, DeadMounts dead) {
    this.volume = volume;
    this.dead = dead;
  }

  /** Whether this is an operation of the background. */
  static boolean isOf(Operation operation) {
    return operation.kind() == VolumeEvent.Operation.CLEAN_UP
        || operation.kind() == VolumeEvent.Operation.REPAIR;
  }

  /** A caller has asked for something. */
  void asked(Operation operation) {
    isHeld = false;
    isCommanded |= operation.usage().isPresent();
    if (volume.engine.host.isHeard()) {
      commanded = Set.of();
      return;
    }
    if (commanded.isEmpty()) {
      commanded = new HashSet<>(2);
    }
    commanded.removeIf(use -> !volume.isSpokenOf(use));
    operation.usage().ifPresent(commanded::add);
  }

  /** Whether a use may be touched without a request: the host or a caller has spoken of it. */
  boolean may(VolumeUse usage) {
    return commanded.contains(usage) || volume.engine.host.isHeard();
  }

  /** Whether a listener is told of an operation that begins now. */
  boolean isTold(Operation operation) {
    return !(operation instanceof Operation.Health) && (!isOf(operation) || isWorthTelling(failed));
  }

  /** Forgets what has failed: something has changed. */
  void again() {
    failed = 0;
    isHeld = false;
  }

  /** An operation has ended. */
  void ended(Operation operation, Result result, boolean isFailure) {
    isHeld = result instanceof Failure failure && failure.needsHelp();
    failed = isOf(operation) && isFailure ? failed + 1 : 0;
    isRepeat = isFailure && (isRepeat || !isRead(operation));
  }

  /** Whether an operation is a call about what is mounted, which mounts nothing. */
  static boolean isRead(Operation operation) {
    return operation instanceof Operation.Read;
  }

  /** Returns the next goal of the cleanup, as far as it may be tried before the host has spoken. */
  Optional<Goal> owed() {
    return volume
        .memory
        .record()
        .flatMap(known -> Goal.owed(known, this::may))
        .filter(goal -> isCommanded || volume.engine.host.isHeard());
  }

  /** Plans the next try, if something is to be done and may be. */
  void consider() {
    cancel();
    dead.tellNeeded();
    if (volume.isFree()
        && !isHeld
        && !volume.engine.index.isClosing()
        && (owed().isPresent() || dead.isDue(this::may))) {
      Duration pause =
          pause(
              failed, volume.plugin().policy().backgroundCap(), volume.parts.scheduler().random());
      next = volume.parts.scheduler().after(pause, () -> volume.aside(this::due));
    }
  }

  /** Tries nothing more. */
  void cancel() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  /** The pause is over; what failed before has to have a place in the budget of the plugin, too. */
  private void due() {
    next = null;
    if (!volume.isEmpty() || volume.engine.index.isClosing()) {
      return;
    }
    Optional<Scheduler.Timer> held =
        isRepeat
            ? volume
                .engine
                .retries(volume.identity.plugin())
                .hold(RetryBudget.Whose.BACKGROUND, () -> volume.aside(this::work))
            : Optional.empty();
    if (held.isPresent()) {
      next = held.get();
    } else {
      work();
    }
  }

  private void work() {
    next = null;
    if (!volume.isEmpty() || volume.engine.index.isClosing()) {
      return;
    }
    Optional<Goal> owed = owed();
    if (owed.isPresent()) {
      cleanUp(
          owed.get(),
          owed.get() instanceof Goal.Release release
              ? Optional.of(release.usage())
              : Optional.empty());
    } else if (dead.isDue(this::may)) {
      Set<VolumeUse> uses = dead.uses();
      dead.begin();
      volume.take(
          new Operation.Repair(
              volume.engine.nextId(),
              uses.size() == 1 ? uses.stream().findFirst() : Optional.empty()));
    }
  }

  /** Takes away a use or a volume that must go. */
  void cleanUp(Goal goal, Optional<VolumeUse> usage) {
    volume.take(Operation.Release.background(volume.engine.nextId(), goal, usage, Long.MAX_VALUE));
  }

  // ---- when something is tried again, and when an operator hears of it

  /** How long to wait: twice as long each time, never longer than the cap, a random part less. */
  static Duration pause(int tries, Duration cap, double random) {
    return Backoff.halfJitter(FIRST, cap).pause(tries + 1, random);
  }

  /** Whether a try is told of, by how many failed before: the first, the fifth, every twentieth. */
  static boolean isWorthTelling(int failed) {
    return failed == 0 || failed == 4 || (failed + 1) % 20 == 0;
  }
}
