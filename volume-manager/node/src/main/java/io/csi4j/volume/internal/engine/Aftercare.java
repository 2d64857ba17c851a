package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Lifecycle;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is done with one volume that nobody asks for any more: what is owed is cleaned up and what
 * is dead made anew, in the background, with pauses. Used in the mailbox of the volume only.
 */
final class Aftercare {

  /** The operations of the volume. */
  interface Line {

    /** Whether none is being done. */
    boolean isFree();

    /** Whether none is being done and none waits. */
    boolean isEmpty();

    /** Does this when everything before it is done. */
    void take(Operation operation);
  }

  private final VolumeParts parts;
  private final DeadMountCare dead;
  private final Line line;
  private Scheduler.@Nullable Timer next;
  private int failed;

  /** Whether nothing is tried before somebody has looked and asked again. */
  private boolean isHeld;

  /** The uses that somebody has asked about since the start. */
  private Set<UsageKey> commanded = Set.of();

  Aftercare(VolumeParts parts, DeadMountCare dead, Line line) {
    this.parts = parts;
    this.dead = dead;
    this.line = line;
  }

  /** Whether this is an operation of the background. */
  static boolean isOf(Operation operation) {
    return operation.kind() == VolumeEvent.Operation.CLEAN_UP
        || operation.kind() == VolumeEvent.Operation.REPAIR;
  }

  /** Somebody has asked for something. */
  void asked(Operation operation) {
    isHeld = false;
    Set<UsageKey> more = new HashSet<>(commanded);
    operation.usage().ifPresent(more::add);
    commanded = more;
  }

  /**
   * Whether a use may be touched without being asked: the host, or somebody, was heard about it.
   */
  boolean may(UsageKey usage) {
    return parts.engineering().heardFromHost() || commanded.contains(usage);
  }

  /** Whether a listener is told of an operation that begins now. */
  boolean isTold(Operation operation) {
    return !isOf(operation) || Background.isTold(failed);
  }

  /** Forgets what has failed: something has changed. */
  void again() {
    failed = 0;
    isHeld = false;
  }

  /** An operation has ended. */
  void ended(Operation operation, Result result, boolean isFailure) {
    isHeld = result instanceof Result.Held held && Lifecycle.isForPeople(held.code());
    failed = isOf(operation) && isFailure ? failed + 1 : 0;
  }

  /** What is to be done without being asked, as far as it may be done before the host was heard. */
  Optional<Goal> owed() {
    boolean mayAll =
        parts.engineering().heardFromHost() || !parts.engine().rules().on(Rule.WAIT_FOR_HOST);
    return parts
        .memory()
        .record()
        .flatMap(known -> Lifecycle.owed(known, usage -> mayAll || commanded.contains(usage)))
        .filter(goal -> mayAll || !commanded.isEmpty());
  }

  /** Plans the next try, if something is to be done and may be. */
  void consider() {
    cancel();
    dead.tellNeeded();
    if (line.isFree()
        && !isHeld
        && !parts.engineering().isClosing()
        && (owed().isPresent() || dead.isDue(this::may))) {
      Duration pause =
          Background.pause(
              failed, parts.plugin().policy().backgroundCap(), parts.engine().scheduler().random());
      next = parts.engine().scheduler().after(pause, () -> parts.mailbox().put(this::work));
    }
  }

  /** Tries nothing more. */
  void cancel() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  private void work() {
    next = null;
    if (!line.isEmpty() || parts.engineering().isClosing()) {
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
      Set<UsageKey> uses = dead.uses();
      line.take(
          parts
              .engineering()
              .background(
                  new Wish.Repair(dead.begin()),
                  VolumeEvent.Operation.REPAIR,
                  uses.size() == 1 ? uses.stream().findFirst() : Optional.empty()));
    }
  }

  /** Takes away what nobody may have any more. */
  void cleanUp(Goal goal, Optional<UsageKey> usage) {
    line.take(
        parts
            .engineering()
            .background(
                new Wish.Release(goal, Long.MAX_VALUE), VolumeEvent.Operation.CLEAN_UP, usage));
  }
}
