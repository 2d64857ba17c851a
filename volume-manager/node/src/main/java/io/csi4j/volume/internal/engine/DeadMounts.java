package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Pending;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which uses of one volume have dead mounts, and what it takes to make them again. Used in the
 * mailbox of the volume only.
 */
final class DeadMounts {

  /** How a use was wanted last, by the host; never written down. */
  private Map<UsageKey, MountRequest> requests = Map.of();

  // Shared while they are empty, as they are for most volumes.
  private Set<UsageKey> dead = Set.of();
  private Set<UsageKey> unknown = Set.of();

  /** The uses of the running repair whose mounts could not be made again. */
  private Set<UsageKey> failed = Set.of();

  /** Whether the staging must still be made again, too. */
  private boolean restages;

  /** Whether the staging was found dead, from which nothing can be published. */
  private boolean stagingDead;

  private @Nullable Goal last;

  /** The uses of the running repair that were asked to be published. */
  private Set<UsageKey> tried = Set.of();

  /** Whether a policy makes dead mounts again. */
  static boolean repairs(OnDeadMount policy) {
    return policy == OnDeadMount.REPUBLISH || policy == OnDeadMount.REMOUNT;
  }

  /** Remembers how a use is wanted. */
  void remember(MountRequest request) {
    if (requests.isEmpty()) {
      requests = new HashMap<>(2);
    }
    requests.put(request.usage(), request);
    unknown = without(unknown, request.usage()::equals);
  }

  /** How each use is wanted, as far as it is known. */
  Map<UsageKey, MountRequest> requests() {
    return Map.copyOf(requests);
  }

  /** A mount was found dead; tells whether that is new. */
  boolean found(UsageKey usage) {
    dead = writable(dead);
    boolean isNew = dead.add(usage);
    restages |= isNew;
    return isNew;
  }

  /** A mount is gone, and is made again like a dead one; the staging may stay. */
  void lost(UsageKey usage) {
    dead = writable(dead);
    dead.add(usage);
  }

  /** The staging was looked at; tells whether it was found dead. */
  boolean staging(boolean isDead) {
    boolean isNew = isDead && !stagingDead;
    stagingDead = isDead;
    restages |= isNew;
    return isNew;
  }

  /** A mount works. */
  void isWell(UsageKey usage) {
    dead = without(dead, usage::equals);
  }

  boolean isDead(UsageKey usage) {
    return dead.contains(usage);
  }

  /** Forgets the uses that are no more, or are being given up. */
  void keepOnly(Optional<VolumeRecord> record) {
    Predicate<UsageKey> isOver =
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
  }

  private static Set<UsageKey> writable(Set<UsageKey> uses) {
    return uses.isEmpty() ? new TreeSet<>() : uses;
  }

  private static Set<UsageKey> without(Set<UsageKey> uses, Predicate<UsageKey> which) {
    if (!uses.isEmpty()) {
      uses.removeIf(which);
    }
    return uses.isEmpty() ? Set.of() : uses;
  }

  /** The dead uses without a request, each told once. */
  List<UsageKey> needed() {
    List<UsageKey> needed =
        dead.stream()
            .filter(usage -> !requests.containsKey(usage) && !unknown.contains(usage))
            .toList();
    if (!needed.isEmpty()) {
      unknown = writable(unknown);
      unknown.addAll(needed);
    }
    return needed;
  }

  /** Whether a mount can be made again now. */
  boolean isDue(OnDeadMount policy, Predicate<UsageKey> may) {
    boolean isOneByOne = policy == OnDeadMount.REPUBLISH && !stagingDead;
    return repairs(policy)
        && (isOneByOne
            ? dead.stream().anyMatch(usage -> requests.containsKey(usage) && may.test(usage))
            : !dead.isEmpty()
                && dead.stream().allMatch(usage -> requests.containsKey(usage) && may.test(usage)));
  }

  /** The uses that a repair is about. */
  Set<UsageKey> uses() {
    return dead.isEmpty() ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(dead));
  }

  /** A repair begins. */
  void begin() {
    tried = Set.of();
    failed = Set.of();
    last = null;
  }

  /** The last attempt has failed; returns whether the other mounts may still be made again. */
  boolean failed() {
    Optional<UsageKey> usage = Optional.empty();
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

  /** A mount that was dead may have died once more. */
  void again() {
    restages |= !dead.isEmpty();
  }

  /**
   * Returns the next goal; nothing when all is done.
   *
   * @param isLost whether a use that is on record as present is not mounted
   */
  Optional<Goal> next(
      OnDeadMount policy, VolumeRecord record, PluginCalls asking, Predicate<TargetRecord> isLost) {
    Optional<Goal> goal = goal(policy, record, asking, isLost);
    last = goal.orElse(null);
    return goal;
  }

  private Optional<Goal> goal(
      OnDeadMount policy, VolumeRecord record, PluginCalls asking, Predicate<TargetRecord> isLost) {
    boolean isRemount =
        (policy == OnDeadMount.REMOUNT || stagingDead) && restages && record.plan().staged();
    for (UsageKey usage : dead) {
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
        if (use.path().is(PathStatus.PRESENT) && isLost.test(use)) {
          return Optional.of(new Goal.Withdraw(Optional.of(use.usage())));
        }
      }
      restages = false;
      return Optional.of(new Goal.Withdraw(Optional.empty()));
    }
    for (UsageKey usage : dead) {
      MountRequest request = requests.get(usage);
      if (request != null
          && record.target(usage).isPresent()
          && !tried.contains(usage)
          && !failed.contains(usage)) {
        tried = writable(tried);
        tried.add(usage);
        return Optional.of(asking.repair(request, record));
      }
    }
    return Optional.empty();
  }

  /** Whether what is mounted for a use has to go before it can come again. */
  private static boolean isToGo(PathRecord path) {
    boolean isBeingPublished =
        path.pending().map(Pending::verb).filter(verb -> verb == Verb.PUBLISH).isPresent();
    return path.is(PathStatus.PRESENT) || (path.is(PathStatus.IN_DOUBT) && !isBeingPublished);
  }
}
