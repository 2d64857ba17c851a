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
 * Background cleanup and repair of one volume. Runs pending releases and repairs dead mounts, with
 * pauses between attempts. Used only in the mailbox of the volume.
 *
 * <p>After a start, nothing is unmounted before the host has passed its list of wanted uses ({@link
 * HostList#isHeard}). The only exceptions are uses that a caller has named since the start. After
 * the list has arrived, the schedule removes every use that is recorded as released, and every use
 * that is not on the list.
 */
final class CleanupSchedule {

  private static final Duration FIRST = Duration.ofSeconds(1);

  private final VolumeQueue volume;
  private final DeadMounts dead;
  private Scheduler.@Nullable Timer next;
  private int failed;

  /** True if the pending cleanup was tried before and failed. */
  private boolean isRepeat;

  /**
   * True if no attempt is made until a caller requests an operation, because the last failure needs
   * an operator's help.
   */
  private boolean isHeld;

  /**
   * The uses that callers have named since the start; cleared when the host has passed its list.
   * Ended uses are removed when a caller names the next use.
   */
  private Set<VolumeUse> commanded = Set.of();

  /** Whether a caller has named a use since the start. */
  private boolean isCommanded;

  CleanupSchedule(VolumeQueue volume, DeadMounts dead) {
    this.volume = volume;
    this.dead = dead;
  }

  /** Returns whether an operation is background work. */
  static boolean isOf(Operation operation) {
    return operation.kind() == VolumeEvent.Operation.CLEAN_UP
        || operation.kind() == VolumeEvent.Operation.REPAIR;
  }

  /** Notes that a caller has requested an operation. */
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

  /**
   * Returns whether background work may change a use: the host has passed its list, or a caller has
   * named the use.
   */
  boolean may(VolumeUse usage) {
    return commanded.contains(usage) || volume.engine.host.isHeard();
  }

  /** Returns whether listeners receive events about an operation that starts now. */
  boolean isTold(Operation operation) {
    return !(operation instanceof Operation.Health) && (!isOf(operation) || isWorthTelling(failed));
  }

  /** Forgets earlier failures because something has changed. */
  void again() {
    failed = 0;
    isHeld = false;
  }

  /** Handles the end of an operation. */
  void ended(Operation operation, Result result, boolean isFailure) {
    isHeld = result instanceof Failure failure && failure.needsHelp();
    failed = isOf(operation) && isFailure ? failed + 1 : 0;
    isRepeat = isFailure && (isRepeat || !isRead(operation));
  }

  /** Returns whether an operation only queries or expands a mounted volume and mounts nothing. */
  static boolean isRead(Operation operation) {
    return operation instanceof Operation.Read;
  }

  /**
   * Returns the next goal of the cleanup that may be tried now. Before the host has passed its
   * list, only goals for uses that a caller has named may be tried.
   */
  Optional<Goal> owed() {
    return volume
        .memory
        .record()
        .flatMap(known -> Goal.owed(known, this::may))
        .filter(goal -> isCommanded || volume.engine.host.isHeard());
  }

  /** Plans the next attempt, if there is work that may be tried. */
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

  /** Cancels the planned attempt. */
  void cancel() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  /** Runs after the pause. A repeated attempt also needs a token from the plugin's retry budget. */
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

  /** Releases a use or a volume that must be removed. */
  void cleanUp(Goal goal, Optional<VolumeUse> usage) {
    volume.take(Operation.Release.background(volume.engine.nextId(), goal, usage, Long.MAX_VALUE));
  }

  // ---- when an attempt is repeated, and when it is reported

  /**
   * Returns the pause before an attempt. The pause doubles with each attempt up to the cap, and is
   * then shortened by a random amount.
   */
  static Duration pause(int tries, Duration cap, double random) {
    return Backoff.halfJitter(FIRST, cap).pause(tries + 1, random);
  }

  /**
   * Returns whether an attempt is reported to listeners: the first attempt, the fifth, and every
   * twentieth.
   */
  static boolean isWorthTelling(int failed) {
    return failed == 0 || failed == 4 || (failed + 1) % 20 == 0;
  }
}
