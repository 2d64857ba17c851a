package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The mounts of one volume that do not work any more: the server of a mount has ended, or another
 * program took the mount away. Finds them, tells of them, and says how they are made again. Used in
 * the mailbox of the volume only.
 */
final class DeadMounts {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeQueue volume;

  /** How a use was wanted last, by the host; never written down. */
  private Map<VolumeUse, MountRequest> requests = Map.of();

  // Shared while they are empty, as they are for most volumes.

  /** The uses whose mounts have to be made again. */
  private Set<VolumeUse> dead = Set.of();

  /** The uses of these for which a notice has asked the host how they are wanted. */
  private Set<VolumeUse> unknown = Set.of();

  /** The uses whose mounts another program took away. */
  private Set<VolumeUse> lost = Set.of();

  /** The uses whose servers have not answered their last question. */
  private Set<VolumeUse> silent = Set.of();

  /** The paths at which the kernel says that a mount is gone, and that were not looked at since. */
  private Set<MountPath> gone = Set.of();

  /** Whether a mount may be gone at any path. */
  private boolean isAnyGone;

  /** The uses of the running repair whose mounts could not be made again. */
  private Set<VolumeUse> failed = Set.of();

  /** Whether the staging must still be made again, too. */
  private boolean restages;

  /** Whether the staging was found dead, from which nothing can be published. */
  private boolean stagingDead;

  private @Nullable Goal last;

  /** The uses of the running repair that were asked to be published. */
  private Set<VolumeUse> tried = Set.of();

  DeadMounts(VolumeQueue volume) {
    this.volume = volume;
  }

  private OnDeadMount policy() {
    return volume.plugin().policy().onDeadMount();
  }

  /** Whether a policy makes dead mounts again. */
  private static boolean repairs(OnDeadMount policy) {
    return policy == OnDeadMount.REPUBLISH || policy == OnDeadMount.REMOUNT;
  }

  /** Remembers how a use is wanted, in case its mount must be made again. */
  void remember(MountRequest request) {
    if (!repairs(policy())) {
      return;
    }
    if (requests.isEmpty()) {
      requests = new HashMap<>(2);
    }
    requests.put(request.usage(), request);
    unknown = without(unknown, request.usage()::equals);
  }

  /** A mount that was dead may have died once more. */
  void again() {
    restages |= !dead.isEmpty();
  }

  /** Forgets the uses that are no more, or are being given up. */
  void keepOnly(Optional<VolumeRecord> record) {
    Predicate<VolumeUse> isOver =
        usage ->
            record
                .flatMap(known -> known.target(usage))
                .filter(use -> !use.path().is(PathStatus.GOING))
                .isEmpty();
    if (!requests.isEmpty()) {
      requests.keySet().removeIf(isOver);
    }
    dead = without(dead, isOver);
    unknown = without(unknown, isOver);
    silent = without(silent, usage -> record.flatMap(known -> known.target(usage)).isEmpty());
    lost =
        without(
            lost,
            usage ->
                record
                    .flatMap(known -> known.target(usage))
                    .filter(
                        use -> use.path().is(PathStatus.IN_DOUBT) || use.path().is(PathStatus.NONE))
                    .isEmpty());
  }

  private static <T> Set<T> without(Set<T> all, Predicate<T> which) {
    if (!all.isEmpty()) {
      all.removeIf(which);
    }
    return all.isEmpty() ? Set.of() : all;
  }

  private static Set<VolumeUse> writable(Set<VolumeUse> uses) {
    return uses.isEmpty() ? new TreeSet<>() : uses;
  }

  // ---- mounts whose server has ended

  /** Looks whether mounts are dead. Their servers may be asked, and the answers come later. */
  void look() {
    if (policy() == OnDeadMount.LEAVE) {
      return;
    }
    boolean isStaged =
        volume.memory.record().filter(it -> it.staging().is(PathStatus.PRESENT)).isPresent();
    if (!isStaged) {
      stagingDead = false;
      lookAtUses();
      return;
    }
    // Before its uses: how they are made again depends on it.
    ask(
        volume.parts.layout().staging(volume.identity),
        health -> {
          boolean isNew = health == Sighting.Health.DEAD && !stagingDead;
          stagingDead = health == Sighting.Health.DEAD;
          restages |= isNew;
          if (isNew) {
            volume.deadChanged();
          }
          lookAtUses();
        });
  }

  /** Finds out in what state a mount is, and goes on with that in the mailbox of the volume. */
  private void ask(MountPath path, Consumer<Sighting.Health> then) {
    try {
      volume
          .parts
          .kernel()
          .ask(
              volume.identity.plugin(),
              path,
              health -> volume.mailbox.put(() -> then.accept(health)));
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      LOG.log(Level.DEBUG, "How the mounts of " + volume.identity + " are is not known.", e);
    }
  }

  private void lookAtUses() {
    for (TargetRecord use :
        volume.memory.record().map(it -> it.targets().values()).orElse(List.of())) {
      if (use.path().is(PathStatus.PRESENT)) {
        ask(target(use.usage()), health -> found(use.usage(), health));
      }
    }
  }

  private MountPath target(VolumeUse usage) {
    return volume.parts.layout().target(volume.identity, usage);
  }

  private void found(VolumeUse usage, Sighting.Health health) {
    boolean isThere =
        volume.memory.use(usage).filter(use -> use.path().is(PathStatus.PRESENT)).isPresent();
    if (health == Sighting.Health.SILENT) {
      isSilent(usage);
    } else {
      answers(usage);
    }
    if (isThere && health == Sighting.Health.DEAD && !dead.contains(usage)) {
      dead = writable(dead);
      dead.add(usage);
      restages = true;
      volume.report.tell(dead(usage));
      volume.deadChanged();
    } else if (isThere && health == Sighting.Health.WELL && dead.contains(usage)) {
      // Another mount than the one that had died.
      dead = without(dead, usage::equals);
      volume.deadChanged();
    }
  }

  /** The server of a use's mount has not answered in time; reported once until it answers. */
  void isSilent(VolumeUse usage) {
    if (volume.memory.use(usage).isPresent() && !silent.contains(usage)) {
      silent = writable(silent);
      silent.add(usage);
      volume.report.tell(silent(usage));
      volume.show();
    }
  }

  /** The server of a use's mount answers, or another mount is there. */
  private void answers(VolumeUse usage) {
    if (silent.contains(usage)) {
      silent = without(silent, usage::equals);
      volume.show();
    }
  }

  private static Notice silent(VolumeUse usage) {
    return new Notice(
        OperatorCode.MOUNT_UNRESPONSIVE, "its server has not answered in time", Optional.of(usage));
  }

  private Notice dead(VolumeUse usage) {
    return new Notice(
        OperatorCode.MOUNT_DEAD,
        "its server has ended; the policy of the plugin is " + policy(),
        Optional.of(usage));
  }

  private Notice lost(VolumeUse usage) {
    return new Notice(
        OperatorCode.MOUNT_LOST,
        "the mount is gone, and nobody here took it away; the policy of the plugin is " + policy(),
        Optional.of(usage));
  }

  private void tell(OperatorCode code, String seen, VolumeUse usage) {
    volume.report.tell(new Notice(code, seen, Optional.of(usage)));
  }

  /** Tells of dead mounts that cannot be made again before the host says how they are wanted. */
  void tellNeeded() {
    if (!repairs(policy())) {
      return;
    }
    List<VolumeUse> needed =
        dead.stream()
            .filter(usage -> !requests.containsKey(usage) && !unknown.contains(usage))
            .toList();
    if (!needed.isEmpty()) {
      unknown = writable(unknown);
      unknown.addAll(needed);
    }
    needed.forEach(
        usage ->
            tell(
                OperatorCode.REQUEST_NEEDED,
                "its mount is dead, and is made anew as soon as the host says how it is wanted",
                usage));
  }

  /** The mount of a use was made, which may have been dead before. */
  void isWell(VolumeUse usage) {
    lost = without(lost, usage::equals);
    silent = without(silent, usage::equals);
    if (dead.contains(usage)) {
      dead = without(dead, usage::equals);
      // Before it is told: who hears it may look.
      volume.deadChanged();
      tell(
          OperatorCode.MOUNT_RESTORED,
          "the plugin has mounted it again, and the mount table shows it",
          usage);
    }
  }

  /** Returns the trouble of the uses whose mounts do not work, if there are any. */
  Optional<OperatorMessage> trouble() {
    return dead.stream()
        .findFirst()
        .or(() -> lost.stream().findFirst())
        .map(usage -> lost.contains(usage) ? lost(usage) : dead(usage))
        .or(() -> silent.stream().findFirst().map(DeadMounts::silent))
        .map(volume.report::message);
  }

  // ---- mounts that another program took away

  /** A mount is gone, at this path or at any. */
  void went(Optional<MountPath> path) {
    isAnyGone |= path.isEmpty();
    if (path.isPresent()) {
      gone = gone.isEmpty() ? new HashSet<>() : gone;
      gone.add(path.get());
    }
  }

  /**
   * Looks at what is said to be gone, while nothing is being done with the volume; what is on
   * record as present and is not mounted is in doubt from now on. Tells whether that is so of any.
   */
  boolean lookForLost() {
    if (gone.isEmpty() && !isAnyGone) {
      return false;
    }
    Set<MountPath> paths = gone;
    boolean isAll = isAnyGone;
    gone = Set.of();
    isAnyGone = false;
    Optional<VolumeRecord> known = volume.memory.record();
    if (known.isEmpty()) {
      return false;
    }
    VolumeLayout.Home home = volume.parts.layout().home(volume.identity);
    VolumeRecord now = known.get();
    try {
      MountPath staging = home.staging();
      if ((isAll || paths.contains(staging))
          && now.staging().is(PathStatus.PRESENT)
          && isGone(now.staging(), staging)) {
        now = now.withStaging(now.staging().as(PathStatus.IN_DOUBT));
        volume.report.tell(
            new Notice(
                OperatorCode.STAGING_LOST,
                "the mount at the staging path is gone, and nobody here took it away",
                Optional.empty()));
      }
      for (TargetRecord use : known.get().targets().values()) {
        MountPath target = home.target(use.usage());
        if ((isAll || paths.contains(target))
            && use.path().is(PathStatus.PRESENT)
            && isGone(use.path(), target)) {
          now = now.withTarget(use.with(use.path().as(PathStatus.IN_DOUBT)));
          isLost(use.usage());
        }
      }
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      LOG.log(Level.DEBUG, "Whether mounts of " + volume.identity + " are gone is not known.", e);
    }
    volume.memory.set(now);
    return !now.equals(known.get());
  }

  /** Whether what was seen at a path is not mounted any more. */
  private boolean isGone(PathRecord path, MountPath at) {
    return path.evidence().isPresent() && volume.parts.kernel().at(at).isEmpty();
  }

  /** Tells of it; the policy says what becomes of it. It is made again like a dead one. */
  private void isLost(VolumeUse usage) {
    volume.report.tell(lost(usage));
    lost = writable(lost);
    lost.add(usage);
    if (repairs(policy())) {
      // The staging may stay.
      dead = writable(dead);
      dead.add(usage);
    }
  }

  // ---- making them again

  /** Whether a mount can be made again now. */
  boolean isDue(Predicate<VolumeUse> may) {
    OnDeadMount policy = policy();
    boolean isOneByOne = policy == OnDeadMount.REPUBLISH && !stagingDead;
    return repairs(policy)
        && (isOneByOne
            ? dead.stream().anyMatch(usage -> requests.containsKey(usage) && may.test(usage))
            : !dead.isEmpty()
                && dead.stream().allMatch(usage -> requests.containsKey(usage) && may.test(usage)));
  }

  /** The uses that a repair is about. */
  Set<VolumeUse> uses() {
    return dead.isEmpty() ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(dead));
  }

  /** A repair begins; tells how each use is wanted. */
  Map<VolumeUse, MountRequest> begin() {
    tried = Set.of();
    failed = Set.of();
    last = null;
    return Map.copyOf(requests);
  }

  /** The last attempt has failed; returns whether the other mounts may still be made again. */
  boolean failed() {
    Optional<VolumeUse> usage = Optional.empty();
    if (last instanceof Goal.Withdraw withdraw) {
      usage = withdraw.usage();
      restages |= usage.isEmpty();
    } else if (last instanceof Goal.Publish publish) {
      usage = Optional.of(publish.usage());
    }
    last = null;
    if (usage.isPresent()) {
      failed = writable(failed);
      failed.add(usage.get());
    }
    return usage.isPresent();
  }

  /** Returns the next goal of the repair; nothing when all is done. */
  Optional<Goal> next(VolumeRecord record) {
    Optional<Goal> goal = goal(policy(), record);
    last = goal.orElse(null);
    return goal;
  }

  private Optional<Goal> goal(OnDeadMount policy, VolumeRecord record) {
    boolean isRemount =
        (policy == OnDeadMount.REMOUNT || stagingDead) && restages && record.plan().staged();
    for (VolumeUse usage : dead) {
      Optional<PathRecord> path = record.target(usage).map(TargetRecord::path);
      if (requests.containsKey(usage)
          && !failed.contains(usage)
          && path.filter(it -> isToGo(it) || (isRemount && !it.is(PathStatus.NONE))).isPresent()) {
        return Optional.of(new Goal.Withdraw(Optional.of(usage)));
      }
    }
    if (stagingDead && isRemount && !failed.isEmpty()) {
      // Something is still mounted from the staging, and nothing comes from it any more.
      return Optional.empty();
    }
    if (isRemount) {
      // A mount that another program took away keeps no volume from being staged again.
      for (TargetRecord use : record.targets().values()) {
        if (use.path().is(PathStatus.PRESENT) && mayReplace(use)) {
          return Optional.of(new Goal.Withdraw(Optional.of(use.usage())));
        }
      }
      restages = false;
      return Optional.of(new Goal.Withdraw(Optional.empty()));
    }
    for (VolumeUse usage : dead) {
      MountRequest request = requests.get(usage);
      if (request != null
          && record.target(usage).isPresent()
          && !tried.contains(usage)
          && !failed.contains(usage)) {
        tried = writable(tried);
        tried.add(usage);
        return Optional.of(Goal.Publish.of(volume.identity, request, record).keeping());
      }
    }
    return Optional.empty();
  }

  /** Whether what is mounted for a use has to go before it can come again. */
  private static boolean isToGo(PathRecord path) {
    boolean isBeingPublished = path.awaits(Verb.PUBLISH);
    return path.is(PathStatus.PRESENT) || (path.is(PathStatus.IN_DOUBT) && !isBeingPublished);
  }

  /** Whether a use is not mounted any more, and may be touched without being asked for. */
  private boolean mayReplace(TargetRecord use) {
    try {
      return volume.engine.host.isHeard() && isGone(use.path(), target(use.usage()));
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      return false;
    }
  }
}
