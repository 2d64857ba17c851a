package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Inspection;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Mounts of one volume that no longer work: the server of the mount has ended, or another program
 * has removed the mount or mounted over it. This class detects and reports such mounts, and returns
 * the goals that repair them. Used only in the mailbox of the volume.
 */
final class DeadMounts {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeQueue volume;

  /** The host's last request for each use; kept in memory only. */
  private Map<VolumeUse, MountRequest> requests = Map.of();

  // These collections are shared empty instances for most volumes.

  /** The uses that must be mounted again. */
  private Set<VolumeUse> dead = Set.of();

  /** The dead uses for which a notice has already asked the host to request the mount again. */
  private Set<VolumeUse> unknown = Set.of();

  /** The uses whose mounts another program has removed. */
  private Set<VolumeUse> lost = Set.of();

  /** The uses whose servers did not answer the last health check. */
  private Set<VolumeUse> silent = Set.of();

  /**
   * The notices about paths over which another program has mounted, by use; the empty key stands
   * for the staging path.
   */
  private Map<Optional<VolumeUse>, Notice> covered = Map.of();

  /** The paths where a mount has appeared or disappeared since the last check. */
  private Set<MountPath> changed = Set.of();

  /**
   * Whether every path must be checked, because a mount may have appeared or disappeared anywhere.
   */
  private boolean isAnyChanged;

  /** The uses that the running repair could not mount. */
  private Set<VolumeUse> failed = Set.of();

  /** Whether the volume itself must be staged again, too. */
  private boolean restages;

  /**
   * Whether the staging mount was found dead. Nothing can be published from a dead staging mount.
   */
  private boolean stagingDead;

  private @Nullable Goal last;

  /** The uses of the running repair for which publishing was attempted. */
  private Set<VolumeUse> tried = Set.of();

  DeadMounts(VolumeQueue volume) {
    this.volume = volume;
  }

  private OnDeadMount policy() {
    return volume.plugin().policy().onDeadMount();
  }

  /** Returns whether a policy requires that dead mounts be repaired. */
  private static boolean repairs(OnDeadMount policy) {
    return policy == OnDeadMount.REPUBLISH || policy == OnDeadMount.REMOUNT;
  }

  /** Remembers the request for a use, in case its mount must be repaired. */
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

  /**
   * Makes the next repair stage the volume again if mounts are dead, because a staging mount that
   * was already repaired may have died again.
   */
  void again() {
    restages |= !dead.isEmpty();
  }

  /** Forgets the uses that no longer exist or are being released. */
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

  private static Optional<PathRecord> present(VolumeRecord record, Optional<VolumeUse> usage) {
    return path(record, usage).filter(path -> path.is(PathStatus.PRESENT));
  }

  /** Returns the target of a use, or the staging path if the use is empty. */
  private static Optional<PathRecord> path(VolumeRecord record, Optional<VolumeUse> usage) {
    return usage.isEmpty()
        ? Optional.of(record.staging())
        : record.target(usage.get()).map(TargetRecord::path);
  }

  private static Set<VolumeUse> writable(Set<VolumeUse> uses) {
    return uses.isEmpty() ? new TreeSet<>() : uses;
  }

  // ---- mounts whose server has ended

  /**
   * Checks whether mounts are dead. This may query the servers of the mounts; their answers arrive
   * later.
   */
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
    // The staging mount is checked before the uses, because the repair of a use depends on the
    // health of the staging mount.
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

  /** Determines the health of a mount, then continues in the mailbox of the volume. */
  private void ask(MountPath path, Consumer<Sighting.Health> then) {
    try {
      volume
          .parts
          .kernel()
          .ask(volume.identity.plugin(), path, health -> volume.aside(() -> then.accept(health)));
    } catch (MountException e) {
      // The next read of the mount table, which follows soon, reports the failure.
      LOG.log(Level.DEBUG, "The health of the mounts of " + volume.identity + " is unknown.", e);
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
    if (covered.containsKey(Optional.of(usage))) {
      // The answer is about the covering mount, not about the mount of this use.
      return;
    }
    if (isThere && health == Sighting.Health.DEAD && !dead.contains(usage)) {
      dead = writable(dead);
      dead.add(usage);
      restages = true;
      volume.show();
      volume.report.tell(dead(usage));
      volume.deadChanged();
    } else if (isThere && health == Sighting.Health.WELL && dead.contains(usage)) {
      // The dead mount has been replaced by a new one.
      dead = without(dead, usage::equals);
      volume.deadChanged();
    }
  }

  /**
   * Notes that the server of a use's mount did not answer in time. This is reported once until the
   * server answers.
   */
  void isSilent(VolumeUse usage) {
    if (volume.memory.use(usage).isPresent() && !silent.contains(usage)) {
      silent = writable(silent);
      silent.add(usage);
      volume.show();
      volume.report.tell(silent(usage));
    }
  }

  /**
   * Notes that the server of a use's mount has answered, or that the path has another mount now.
   */
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
        "the mount is gone, and this manager did not remove it; the policy of the plugin is "
            + policy(),
        Optional.of(usage));
  }

  private void tell(OperatorCode code, String seen, VolumeUse usage) {
    volume.report.tell(new Notice(code, seen, Optional.of(usage)));
  }

  /** Reports dead mounts that cannot be repaired until the host requests them again. */
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
                "its mount is dead, and is repaired as soon as the host requests it",
                usage));
  }

  /** Notes that a use was mounted. If its mount was dead before, reports that it was repaired. */
  void isWell(VolumeUse usage) {
    lost = without(lost, usage::equals);
    silent = without(silent, usage::equals);
    if (dead.contains(usage)) {
      dead = without(dead, usage::equals);
      // The view is updated before the report, because a listener may query the state.
      volume.deadChanged();
      tell(
          OperatorCode.MOUNT_RESTORED,
          "the plugin has mounted it again, and the mount table shows it",
          usage);
    }
  }

  /** Returns the message about a use whose mount does not work, if there is such a use. */
  Optional<OperatorMessage> trouble() {
    if (covered.isEmpty() && dead.isEmpty() && lost.isEmpty() && silent.isEmpty()) {
      return Optional.empty();
    }
    return covered.values().stream()
        .findFirst()
        .or(() -> Stream.concat(dead.stream(), lost.stream()).findFirst().map(this::broken))
        .or(() -> silent.stream().findFirst().map(DeadMounts::silent))
        .map(volume.report::message);
  }

  private Notice broken(VolumeUse usage) {
    return lost.contains(usage) ? lost(usage) : dead(usage);
  }

  // ---- mounts that another program has removed or covered

  /**
   * Notes that a mount has appeared or disappeared at this path; empty if any path may be affected.
   */
  void changed(Optional<MountPath> path) {
    isAnyChanged |= path.isEmpty();
    // Paths with any other status need no entry: the volume checks a path before it records the
    // path as present.
    if (path.filter(this::isPresentAt).isPresent()) {
      changed = changed.isEmpty() ? new HashSet<>() : changed;
      changed.add(path.get());
    }
  }

  private boolean isPresentAt(MountPath path) {
    VolumeLayout.Home home = volume.parts.layout().home(volume.identity);
    return volume.memory.record().stream()
        .flatMap(known -> paths(known).filter(usage -> present(known, usage).isPresent()))
        .anyMatch(usage -> path.equals(at(home, usage)));
  }

  /**
   * Returns a key for each path of a volume: empty for the staging path, and the use for a target.
   */
  private static Stream<Optional<VolumeUse>> paths(VolumeRecord record) {
    return Stream.concat(
        Stream.of(Optional.empty()), record.targets().keySet().stream().map(Optional::of));
  }

  private static MountPath at(VolumeLayout.Home home, Optional<VolumeUse> usage) {
    return usage.map(home::target).orElseGet(home::staging);
  }

  /**
   * Returns whether a mount of the volume may have appeared or disappeared since the last check.
   */
  boolean isChanged() {
    return isAnyChanged || !changed.isEmpty();
  }

  /**
   * Checks the paths where a mount has appeared or disappeared, while no operation of the volume is
   * running. If a recorded mount is gone, its path becomes uncertain. If another program has
   * mounted over it, the path is shown as uncertain until that mount is gone. Returns whether the
   * state of any mount has changed; each change is shown and reported.
   */
  boolean lookAtChanges() {
    Set<MountPath> paths = changed;
    boolean isAll = isAnyChanged;
    changed = Set.of();
    isAnyChanged = false;
    Optional<VolumeRecord> known = volume.memory.record();
    if (known.isEmpty()) {
      return false;
    }
    VolumeLayout.Home home = volume.parts.layout().home(volume.identity);
    VolumeRecord now = known.get();
    boolean isNews = false;
    List<Notice> notices = new ArrayList<>(1);
    try {
      for (Optional<VolumeUse> usage : paths(known.get()).toList()) {
        Optional<PathRecord> path =
            present(known.get(), usage).filter(it -> it.evidence().isPresent());
        if (path.isPresent() && (isAll || paths.contains(at(home, usage)))) {
          List<Sighting> stack = volume.parts.kernel().at(at(home, usage));
          isNews |= covers(usage, path.get(), stack, notices);
          now = stack.isEmpty() ? lost(now, usage, notices) : now;
        }
      }
    } catch (MountException e) {
      // The next read of the mount table, which follows soon, reports the failure.
      LOG.log(Level.DEBUG, "The mounts of " + volume.identity + " could not be read.", e);
    }
    volume.memory.set(now);
    if (!isNews && now.equals(known.get())) {
      return false;
    }
    // The view is updated before the report, because a listener may query the state.
    volume.show();
    notices.forEach(volume.report::tell);
    return true;
  }

  /**
   * Records whether another program has mounted over a path; such a mount is reported once until it
   * is gone. Returns whether the result differs from the last check.
   */
  private boolean covers(
      Optional<VolumeUse> usage, PathRecord path, List<Sighting> stack, List<Notice> notices) {
    if (!Inspection.isForeign(path, stack)) {
      return covered.containsKey(usage) && covered.remove(usage) != null;
    }
    Failure seen = Inspection.foreign(stack);
    Notice notice = new Notice(seen.code(), seen.seen(), usage);
    covered = covered.isEmpty() ? new HashMap<>(2) : covered;
    Notice before = covered.put(usage, notice);
    if (before == null) {
      notices.add(notice);
    }
    return !notice.equals(before);
  }

  /**
   * Returns the paths over which another program has mounted, as uses; empty stands for the staging
   * path.
   */
  Set<Optional<VolumeUse>> covered() {
    return Set.copyOf(covered.keySet());
  }

  private VolumeRecord lost(VolumeRecord record, Optional<VolumeUse> usage, List<Notice> notices) {
    if (usage.isPresent()) {
      TargetRecord use = record.target(usage.get()).orElseThrow();
      isLost(use.usage());
      notices.add(lost(use.usage()));
      return record.withTarget(use.with(use.path().as(PathStatus.IN_DOUBT)));
    }
    notices.add(
        new Notice(
            OperatorCode.STAGING_LOST,
            "the mount at the staging path is gone, and this manager did not remove it",
            Optional.empty()));
    return record.withStaging(record.staging().as(PathStatus.IN_DOUBT));
  }

  /** Returns whether the mount that was recorded for a path is gone. */
  private boolean isGone(PathRecord path, MountPath at) {
    return path.evidence().isPresent() && volume.parts.kernel().at(at).isEmpty();
  }

  /**
   * Notes a lost mount. The policy decides whether the mount is repaired like a dead mount or stays
   * lost.
   */
  private void isLost(VolumeUse usage) {
    lost = writable(lost);
    lost.add(usage);
    if (repairs(policy())) {
      // The staging mount may still work, so the volume is not staged again.
      dead = writable(dead);
      dead.add(usage);
    }
  }

  // ---- repair

  /** Returns whether a repair can start now. */
  boolean isDue(Predicate<VolumeUse> may) {
    OnDeadMount policy = policy();
    boolean isOneByOne = policy == OnDeadMount.REPUBLISH && !stagingDead;
    return repairs(policy)
        && (isOneByOne
            ? dead.stream().anyMatch(usage -> requests.containsKey(usage) && may.test(usage))
            : !dead.isEmpty()
                && dead.stream().allMatch(usage -> requests.containsKey(usage) && may.test(usage)));
  }

  /** Returns the uses that a repair mounts again. */
  Set<VolumeUse> uses() {
    return dead.isEmpty() ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(dead));
  }

  /** Starts a repair. */
  void begin() {
    tried = Set.of();
    failed = Set.of();
    last = null;
  }

  /**
   * Handles the failure of the last goal of a repair, and returns whether the other mounts may
   * still be repaired. A use whose volume no longer exists is not mounted again until the host
   * requests it.
   */
  boolean failed(Optional<OperatorCode> code) {
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
      if (code.equals(Optional.of(OperatorCode.VOLUME_GONE))) {
        requests.remove(usage.get());
        unknown = writable(unknown);
        unknown.add(usage.get());
      }
    }
    return usage.isPresent();
  }

  /** Returns the next goal of the repair; empty when the repair is complete. */
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
      // A use could not be unmounted from the dead staging mount, so the volume cannot be staged
      // again and nothing can be published.
      return Optional.empty();
    }
    if (isRemount) {
      // A use whose mount another program has removed is withdrawn first, so it does not prevent
      // the volume from being staged again.
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
        return Optional.of(Goal.Publish.of(request, record).keeping());
      }
    }
    return Optional.empty();
  }

  /** Returns whether a use must be unpublished before it can be published again. */
  private static boolean isToGo(PathRecord path) {
    boolean isBeingPublished = path.awaits(Verb.PUBLISH);
    return path.is(PathStatus.PRESENT) || (path.is(PathStatus.IN_DOUBT) && !isBeingPublished);
  }

  /** Returns whether a use is no longer mounted and may be changed without a request. */
  private boolean mayReplace(TargetRecord use) {
    try {
      return volume.engine.host.isHeard() && isGone(use.path(), target(use.usage()));
    } catch (MountException e) {
      // The next read of the mount table, which follows soon, reports the failure.
      return false;
    }
  }
}
