package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Looks whether the mounts of one volume are dead, tells of it, and says which must be made again.
 * Used in the mailbox of the volume only.
 */
final class DeadMountCare {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeParts parts;
  private final Runnable changed;
  private final DeadMounts dead = new DeadMounts();

  /** The uses whose mounts another program took away. */
  private Set<UsageKey> lost = Set.of();

  /**
   * Nothing is dead.
   *
   * @param changed shows what is dead, and looks whether there is something to do now
   */
  DeadMountCare(VolumeParts parts, Runnable changed) {
    this.parts = parts;
    this.changed = changed;
  }

  private OnDeadMount policy() {
    return parts.plugin().policy().onDeadMount();
  }

  /** Remembers how a use is wanted, in case its mount must be made again. */
  void remember(MountRequest request) {
    if (DeadMounts.repairs(policy())) {
      dead.remember(request);
    }
  }

  /** A mount that was dead may have died once more. */
  void again() {
    dead.again();
  }

  /** Looks whether mounts are dead. Their servers may be asked, and the answers come later. */
  void look() {
    if (policy() == OnDeadMount.LEAVE) {
      return;
    }
    boolean isStaged =
        parts.memory().record().filter(it -> it.staging().is(PathStatus.PRESENT)).isPresent();
    if (!isStaged) {
      dead.staging(false);
      lookAtUses();
      return;
    }
    // Before its uses: how they are made again depends on it.
    ask(
        parts.ports().layout().staging(parts.identity()),
        health -> {
          if (dead.staging(health == Sighting.Health.DEAD)) {
            changed.run();
          }
          lookAtUses();
        });
  }

  /** Finds out in what state a mount is, and goes on with that in the mailbox of the volume. */
  private void ask(MountPath path, Consumer<Sighting.Health> then) {
    try {
      parts.ports().kernel().ask(path, health -> parts.mailbox().put(() -> then.accept(health)));
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      LOG.log(Level.DEBUG, "How the mounts of " + parts.identity() + " are is not known.", e);
    }
  }

  private void lookAtUses() {
    for (TargetRecord use :
        parts.memory().record().map(it -> it.targets().values()).orElse(List.of())) {
      if (use.path().is(PathStatus.PRESENT)) {
        ask(target(use.usage()), health -> found(use.usage(), health));
      }
    }
  }

  private MountPath target(UsageKey usage) {
    return parts.ports().layout().target(parts.identity(), usage);
  }

  /** Whether a use is not mounted any more, and may be touched without being asked for. */
  private boolean isLost(TargetRecord use) {
    try {
      return parts.engine().heardFromHost()
          && use.path().evidence().isPresent()
          && parts.ports().kernel().at(target(use.usage())).isEmpty();
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      return false;
    }
  }

  private void found(UsageKey usage, Sighting.Health health) {
    boolean isThere =
        parts.memory().use(usage).filter(use -> use.path().is(PathStatus.PRESENT)).isPresent();
    if (isThere && health == Sighting.Health.DEAD && dead.found(usage)) {
      tell(
          OperatorCode.MOUNT_DEAD,
          "its server has ended; the policy of the plugin is " + policy(),
          usage);
      changed.run();
    } else if (isThere && health == Sighting.Health.WELL && dead.isDead(usage)) {
      // Another mount than the one that had died.
      dead.isWell(usage);
      changed.run();
    } else if (isThere && health == Sighting.Health.SILENT) {
      tell(OperatorCode.MOUNT_UNRESPONSIVE, "its server was asked, and has not answered", usage);
    }
  }

  /**
   * A mount is gone although the engine did not take it away; the policy says what becomes of it.
   */
  void lost(UsageKey usage) {
    tell(OperatorCode.MOUNT_LOST, lostSeen(), usage);
    lost = lost.isEmpty() ? new TreeSet<>() : lost;
    lost.add(usage);
    if (DeadMounts.repairs(policy())) {
      dead.lost(usage);
    }
  }

  private String lostSeen() {
    return "the mount is gone, and nobody here took it away; the policy of the plugin is "
        + policy();
  }

  /** Tells of dead mounts that cannot be made again before the host says how they are wanted. */
  void tellNeeded() {
    if (DeadMounts.repairs(policy())) {
      dead.needed()
          .forEach(
              usage ->
                  tell(
                      OperatorCode.REQUEST_NEEDED,
                      "its mount is dead, and is made anew as soon as the host says how it is"
                          + " wanted",
                      usage));
    }
  }

  /** The mount of a use was made, which may have been dead before. */
  void isWell(UsageKey usage) {
    keepLost(other -> !other.equals(usage));
    if (dead.isDead(usage)) {
      dead.isWell(usage);
      // Before it is told: who hears it may look.
      changed.run();
      tell(
          OperatorCode.MOUNT_RESTORED,
          "the plugin has mounted it again, and the mount table shows it",
          usage);
    }
  }

  private void tell(OperatorCode code, String seen, UsageKey usage) {
    parts.report().tell(new Notice(code, seen, Optional.of(usage)));
  }

  /** Returns the trouble of the uses whose mounts are dead, if there are any. */
  Optional<OperatorMessage> trouble() {
    Optional<UsageKey> one = dead.uses().stream().findFirst();
    return one.or(() -> lost.stream().findFirst())
        .map(
            usage ->
                lost.contains(usage)
                    ? new Notice(OperatorCode.MOUNT_LOST, lostSeen(), Optional.of(usage))
                    : new Notice(
                        OperatorCode.MOUNT_DEAD,
                        "its server has ended; the policy of the plugin is " + policy(),
                        Optional.of(usage)))
        .map(parts.report()::message);
  }

  /** Forgets the uses that are no more, or are being given up. */
  void keepOnly(Optional<VolumeRecord> record) {
    dead.keepOnly(record);
    keepLost(
        usage ->
            record
                .flatMap(known -> known.target(usage))
                .filter(use -> use.path().is(PathStatus.IN_DOUBT) || use.path().is(PathStatus.NONE))
                .isPresent());
  }

  private void keepLost(Predicate<UsageKey> which) {
    if (!lost.isEmpty()) {
      lost.removeIf(which.negate());
    }
  }

  // ---- making them again

  /** Whether a mount can be made again now. */
  boolean isDue(Predicate<UsageKey> may) {
    return dead.isDue(policy(), may);
  }

  /** A repair begins; tells how each use is wanted. */
  Map<UsageKey, MountRequest> begin() {
    dead.begin();
    return dead.requests();
  }

  /** The uses that a repair is about. */
  Set<UsageKey> uses() {
    return dead.uses();
  }

  /** Returns the next goal of the repair; nothing when all is done. */
  Optional<Goal> next(VolumeRecord record) {
    return dead.next(policy(), record, parts.requests(), this::isLost);
  }

  /** The last attempt has failed; returns whether the other mounts may still be made again. */
  boolean failed() {
    return dead.failed();
  }
}
