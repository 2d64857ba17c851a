package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.lifecycle.Event;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Pending;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The known state of one volume. Also tracks which part of that state is on record. */
final class VolumeMemory {

  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final UnendedCalls doubts = new UnendedCalls();
  private final RefusedReleases refusals = new RefusedReleases();

  /**
   * Whether the plugin has answered that it does not implement a call, and its capabilities were
   * not queried again since then.
   */
  private boolean isCallMissing;

  /**
   * The processes that received a mounting call with an uncertain result, by use; the empty key
   * stands for the staging path. Such a process may execute the call even after a repeated call was
   * answered. Shared while the map is empty.
   */
  private Map<Optional<VolumeUse>, Set<String>> unsettled = Map.of();

  private @Nullable VolumeRecord record;

  /** The last written record; null if the content of the state is uncertain. */
  private @Nullable VolumeRecord saved;

  /** Whether {@link #saved} was written but not synced yet. */
  private boolean isDeferred;

  /**
   * Whether a record or a directory of the volume was found or created, and has not been removed
   * since.
   */
  private boolean isLeft;

  VolumeMemory(VolumeIdentity identity, EngineParts parts) {
    this.identity = identity;
    this.parts = parts;
  }

  /** Returns the present record; empty if the volume is not known. */
  Optional<VolumeRecord> record() {
    return Optional.ofNullable(record);
  }

  /** Returns one use of the volume. */
  Optional<TargetRecord> use(VolumeUse usage) {
    return record().flatMap(known -> known.target(usage));
  }

  void set(VolumeRecord next) {
    record = next;
  }

  /** Takes over a volume that was found at the start and is completely on record. */
  void restore(VolumeRecord found) {
    record = found;
    saved = found;
    isLeft = true;
    doubts.restore(found, parts.clock().nanos());
    if (found.staging().awaits(Verb.STAGE)) {
      unsettled(Optional.empty(), found.staging());
    }
    for (TargetRecord use : found.targets().values()) {
      PathRecord path = use.path();
      boolean isAnswered = path.is(PathStatus.PRESENT) || found.isAnswered(use.usage());
      if (path.awaits(Verb.PUBLISH) || !isAnswered) {
        unsettled(Optional.of(use.usage()), path);
      }
    }
  }

  /**
   * Notes that the process that received the last call for a path, or an earlier process, may still
   * execute a mounting call.
   */
  private void unsettled(Optional<VolumeUse> use, PathRecord path) {
    unsettled(use, path.pending().map(Pending::instance).orElse(""));
  }

  private void unsettled(Optional<VolumeUse> use, String instance) {
    unsettled = unsettled.isEmpty() ? new HashMap<>(2) : unsettled;
    unsettled.computeIfAbsent(use, none -> new HashSet<>(2)).add(instance);
  }

  /**
   * Notes for each unrecorded use that an abandoned call may have mounted it, and may mount it
   * again.
   */
  private void doubtStrays(VolumeRecord known) {
    for (VolumeUse use : known.targets().keySet()) {
      if (StrayUse.isStray(use)
          && !known.isAnswered(use)
          && !unsettled.containsKey(Optional.of(use))) {
        unsettled(Optional.of(use), "");
      }
    }
  }

  /**
   * Notes the present process of the plugin. A call whose receiver was unknown went to this
   * process, or to an earlier process.
   */
  private void known(String instance) {
    if (!instance.isEmpty()) {
      unsettled
          .values()
          .forEach(
              instances -> {
                if (instances.remove("")) {
                  instances.add(instance);
                }
              });
    }
  }

  /** Returns the uses with an unanswered publish call whose process may still be running. */
  private Set<VolumeUse> unanswered(NodePlugin plugin) {
    Set<VolumeUse> unanswered = new HashSet<>();
    unsettled.forEach(
        (use, instances) -> {
          if (!areOver(instances, plugin)) {
            use.ifPresent(unanswered::add);
          }
        });
    return unanswered;
  }

  private static boolean areOver(Set<String> instances, NodePlugin plugin) {
    return instances.stream().allMatch(instance -> isOver(instance, plugin));
  }

  /**
   * Returns whether the volume has a record and the state has accepted the last write of the
   * record.
   */
  boolean isOnRecord() {
    return record != null && saved != null;
  }

  /** Notes that nothing of the volume is on record. */
  void notOnRecord() {
    saved = null;
  }

  /**
   * Forgets the volume if nothing of it is left, and returns whether it did so. An empty volume
   * that still has a record or a directory is left to the cleanup.
   */
  boolean forgetIfEmpty() {
    boolean isOver = record != null && record.isEmpty() && !isLeft;
    if (isOver) {
      record = null;
      saved = null;
      unsettled = Map.of();
    }
    return isOver;
  }

  // ---- records

  /** Writes the record, unless an equal record was written last. */
  Event.Saved save(Step.Save save) {
    if (save.record().equals(saved)) {
      return new Event.Saved(Optional.empty());
    }
    Event.Saved done =
        written(
            () -> {
              boolean isIntent = save.need() == Need.ON_THE_MEDIUM;
              // If the volume has no record yet, this record is the only trace of the volume after
              // a power loss, so the write is not deferred.
              Durability otherwise = saved == null ? Durability.BEST_EFFORT : Durability.DEFERRED;
              Stored stored = put(save.record(), isIntent ? Durability.REQUIRED : otherwise);
              // A mounting call must be on the disk before the plugin receives the call.
              return stored == Stored.REMEMBERED && save.need() == Need.WRITTEN
                  ? put(save.record(), Durability.REQUIRED)
                  : stored;
            });
    saved = done.problem().isEmpty() ? save.record() : null;
    isLeft |= done.problem().isEmpty();
    return done;
  }

  private Stored put(VolumeRecord next, Durability durability) {
    return parts.state().put(parts.layout().key(identity), RecordCodec.encode(next), durability);
  }

  /** Syncs a deferred write, before the end of an operation is reported. */
  void settle() {
    VolumeRecord written = saved;
    if (isDeferred && written != null) {
      Event.Saved ignored = written(() -> put(written, Durability.BEST_EFFORT));
    }
  }

  /** Removes the record of a volume that needs no tombstone. */
  Event.Saved forget() {
    return removed(() -> parts.state().remove(parts.layout().key(identity)));
  }

  /** Replaces the record of a volume by a tombstone. */
  Event.Saved bury(Tombstone tombstone) {
    StateKey key = parts.layout().key(identity);
    return removed(() -> parts.state().bury(key, RecordCodec.encode(tombstone)));
  }

  private Event.Saved removed(Writing work) {
    Event.Saved done = written(work);
    isLeft &= done.problem().isPresent();
    return done;
  }

  /** A write to the state. */
  private interface Writing {
    Stored run();
  }

  private Event.Saved written(Writing work) {
    try {
      isDeferred = work.run() == Stored.DEFERRED;
      return new Event.Saved(Optional.empty());
    } catch (StateException problem) {
      return new Event.Saved(Optional.of(problem));
    }
  }

  /** Writes the record if possible, and keeps it in memory in any case. */
  private void keep(VolumeRecord next) {
    record = next;
    Event.Saved ignored = save(new Step.Save(next, Need.RELEASING));
  }

  /** Returns the tombstone of the volume. */
  Tombstone tombstone(Turn at, NodePlugin plugin) {
    List<VolumeUse> uses = List.copyOf(at.before().targets().keySet());
    boolean isUnsettled =
        !unsettled.values().stream().allMatch(instances -> areOver(instances, plugin));
    SortedSet<VolumeUse> answered = new TreeSet<>();
    if (isUnsettled) {
      answered.addAll(uses);
      answered.removeAll(unanswered(plugin));
    }
    return new Tombstone(
        identity,
        at.record().plan(),
        parts.kernel().place(),
        uses,
        at.record().abandoned(),
        isUnsettled,
        answered);
  }

  /** Returns whether a process of the plugin has certainly ended, so its calls have ended too. */
  private static boolean isOver(String instance, NodePlugin plugin) {
    String now = plugin.instance();
    return !instance.isEmpty()
        && !now.isEmpty()
        && !instance.equals(now)
        && !plugin.mayStillRun(instance);
  }

  // ---- the present situation

  Situation situation(NodePlugin plugin) {
    MountPolicy policy = plugin.policy();
    String instance = plugin.instance();
    record().ifPresent(this::doubtStrays);
    known(instance);
    refusals.keepOnly(record().map(known -> known.targets().keySet()).orElse(Set.of()));
    return new Situation(
        parts.kernel().place(),
        instance,
        policy,
        record()
            .map(
                known ->
                    doubts.quarantined(
                        known,
                        parts.clock().nanos(),
                        policy.quarantine(),
                        instance,
                        plugin::mayStillRun))
            .orElse(Set.of()),
        refusals.enough(parts.clock().nanos()),
        unanswered(plugin),
        VolumeReport.barred(plugin),
        parts.scheduler().random());
  }

  /**
   * Returns whether the plugin may still be executing a call, so that the opposite call has to
   * wait.
   */
  boolean isQuarantined(NodePlugin plugin) {
    return !situation(plugin).quarantined().isEmpty();
  }

  // ---- calls with an uncertain result

  /**
   * Records which process of the plugin receives a call, if it differs from the recorded process.
   */
  void restamp(Turn at, Step.Call call, String instance) {
    boolean isOther =
        path(at.saved(), call)
            .flatMap(PathRecord::pending)
            .filter(known -> known.verb() == call.verb() && !known.instance().equals(instance))
            .isPresent();
    if (isOther) {
      VolumeRecord now = at.record();
      path(now, call)
          .map(path -> path.working(call.verb(), instance))
          .map(
              next ->
                  call.usage()
                      .flatMap(now::target)
                      .map(use -> now.withTarget(use.with(next)))
                      .orElseGet(() -> now.withStaging(next)))
          .ifPresent(this::keep);
    }
  }

  private static Optional<PathRecord> path(VolumeRecord record, Step.Call call) {
    return call.usage().isEmpty()
        ? Optional.of(record.staging())
        : record.target(call.usage().get()).map(TargetRecord::path);
  }

  /** Notes whether the mount table shows a mount for a use. */
  void looked(VolumeUse usage, Event.Looked looked) {
    refusals.seen(usage, !looked.target().isEmpty() || looked.device());
  }

  /** Returns whether the capabilities of the plugin must be queried before a call is repeated. */
  boolean isCallMissing() {
    return isCallMissing;
  }

  /** Notes that the plugin has reported its capabilities. */
  void offered() {
    isCallMissing = false;
  }

  /** Handles the answer to a call: its result is either known now, or uncertain from now on. */
  void ended(Step.Call call, Answer answer, String instance) {
    countRefusal(call, answer);
    isCallMissing |= CallMeaning.of(answer).remedy() == CallMeaning.Remedy.ASK_AGAIN;
    if (CallMeaning.of(answer).goesOn()) {
      unknown(call, instance);
    } else if (answer.isSent()) {
      doubts.end(call.usage());
    }
  }

  private void countRefusal(Step.Call call, Answer answer) {
    if (call.verb() == Verb.UNPUBLISH
        && CallMeaning.of(answer).belief() == CallMeaning.Belief.IN_THE_END) {
      call.usage().ifPresent(usage -> refusals.refused(usage, parts.clock().nanos()));
    } else if (answer.isOk() || call.verb() == Verb.PUBLISH) {
      // Refusals are counted again from zero, because earlier refusals say nothing about a mount of
      // this publication.
      call.usage().ifPresent(refusals::forget);
    }
  }

  /** Notes that the result of a call is uncertain. */
  void unknown(Step.Call call, String instance) {
    if (call.verb().isForward()) {
      unsettled(call.usage(), instance);
    }
    doubts.begin(call.usage(), parts.clock().nanos(), instance);
  }

  // ---- uses that are not on record

  /**
   * Returns the mounts of all uses, whether on record or not. A use without a directory has no
   * mount, so only the paths in existing directories are read, instead of all mounts of the
   * machine.
   *
   * @throws MountException if the mounts cannot be read
   */
  List<Sighting> mountedUses() {
    VolumeLayout.Home home = parts.layout().home(identity);
    List<Sighting> mounted = new ArrayList<>();
    try {
      for (String use : parts.directories().uses(identity)) {
        mounted.addAll(parts.kernel().at(home.target(StrayUse.of(identity, use))));
      }
    } catch (PathProblem unreadable) {
      return parts.kernel().beneath(home.uses());
    }
    return mounted;
  }

  /** Returns the record, extended by mounted uses that are not on record. */
  VolumeRecord withStrays(VolumeRecord known) {
    try {
      List<Sighting> mounted = mountedUses();
      return mounted.isEmpty() ? known : Strays.with(parts.layout(), known, mounted);
    } catch (MountException e) {
      // The next read of the mount table, which follows soon, reports the failure.
      return known;
    }
  }

  /**
   * Restores the name of a use that is known only by its directory. Returns whether there was such
   * a use.
   */
  boolean name(VolumeUse usage) {
    boolean isLeft = use(StrayUse.of(identity, usage)).isPresent();
    if (isLeft) {
      keep(named(record().orElseThrow(), usage));
      settle();
    }
    return isLeft;
  }

  /** Notes that a use must be released, if it is on record. */
  void release(VolumeUse usage) {
    use(usage)
        .ifPresent(
            use ->
                record =
                    record().orElseThrow().withTarget(use.with(use.path().as(PathStatus.GOING))));
  }

  /** Returns the record of the volume before a use is published with this goal. */
  VolumeRecord before(Goal.Publish goal) {
    // If the use is on record only by its directory, the record gets the name of the use. If a
    // mount at the path of the use is not on record, it does not get the name, because its content
    // is unknown; that mount must be removed before the use can be published. No path is on record
    // twice.
    VolumeRecord known =
        withStrays(
                record()
                    .map(there -> named(there, goal.usage()))
                    .orElseGet(
                        () -> VolumeRecord.fresh(identity, goal.plan(), parts.kernel().place())))
            .without(StrayUse.of(identity, goal.usage()));
    Optional<TargetRecord> use = known.target(goal.usage());
    if (use.isPresent() && isNameOnly(use.get().path())) {
      known =
          known.withTarget(
              new TargetRecord(goal.usage(), goal.readOnly(), use.get().path(), use.get().claim()));
    }
    if (!known.plan().isKnown()) {
      known = known.with(goal.plan());
    }
    return known;
  }

  private VolumeRecord named(VolumeRecord known, VolumeUse usage) {
    VolumeUse stray = StrayUse.of(identity, usage);
    if (known.target(stray).isEmpty()) {
      return known;
    }
    unsettled(Optional.of(usage), "");
    return known
        .without(stray)
        .withTarget(new TargetRecord(usage, false, PathRecord.NONE.as(PathStatus.IN_DOUBT)));
  }

  /** Returns whether nothing is known about a path except that its use exists. */
  private static boolean isNameOnly(PathRecord path) {
    return path.equals(PathRecord.NONE.as(PathStatus.IN_DOUBT));
  }

  /**
   * The calls with an uncertain result, each with the time since when it is uncertain and the
   * process of the plugin that received the call. The key is the use, or empty for the staging
   * path.
   */
  static final class UnendedCalls {

    private record Uncertainty(long since, String instance) {}

    /** A shared empty map while no call is uncertain. */
    private Map<Optional<VolumeUse>, Uncertainty> doubts = Map.of();

    /** Notes that the result of the recorded call for this path is uncertain. */
    void begin(Optional<VolumeUse> path, long nanos, String instance) {
      if (doubts.isEmpty()) {
        doubts = new HashMap<>(2);
      }
      doubts.put(path, new Uncertainty(nanos, instance));
    }

    /** Notes that the result of a call is known. */
    void end(Optional<VolumeUse> path) {
      if (!doubts.isEmpty()) {
        doubts.remove(path);
      }
      if (doubts.isEmpty()) {
        doubts = Map.of();
      }
    }

    /** Marks every call as uncertain that is pending in this record. */
    void restore(VolumeRecord record, long nanos) {
      record
          .staging()
          .pending()
          .ifPresent(pending -> begin(Optional.empty(), nanos, pending.instance()));
      record
          .targets()
          .values()
          .forEach(
              target ->
                  target
                      .path()
                      .pending()
                      .ifPresent(
                          pending ->
                              begin(Optional.of(target.usage()), nanos, pending.instance())));
    }

    /**
     * Returns the paths for which the plugin may still be executing a call.
     *
     * @param running returns whether an earlier process of the plugin may still be running
     */
    Set<Optional<VolumeUse>> quarantined(
        VolumeRecord record,
        long nanos,
        Duration quarantine,
        String instance,
        Predicate<String> running) {
      Set<Optional<VolumeUse>> paths = new HashSet<>();
      doubts.forEach(
          (path, doubt) -> {
            Optional<PathRecord> at =
                path.isEmpty()
                    ? Optional.of(record.staging())
                    : record.target(path.get()).map(target -> target.path());
            boolean isPending = at.flatMap(PathRecord::pending).isPresent();
            boolean isOver =
                !doubt.instance().isEmpty()
                    && !instance.isEmpty()
                    && !doubt.instance().equals(instance)
                    && !running.test(doubt.instance());
            if (isPending && !isOver && nanos - doubt.since() < quarantine.toNanos()) {
              paths.add(path);
            }
          });
      return paths;
    }
  }

  /**
   * Counts how often, and since when, the plugin has refused to release a use without a mount. Only
   * refusals since the start count. Used only in the mailbox of the volume.
   */
  private static final class RefusedReleases {

    /**
     * The refusals since the mount of a use was last seen.
     *
     * @param times the number of refusals, at least one
     * @param since the time of the first refusal
     */
    private record Count(int times, long since) {}

    /** The uses for which the mount table last showed no mount; shared while the set is empty. */
    private Set<VolumeUse> unmounted = Set.of();

    /** The refusals for these uses; a use without a refusal has no entry. */
    private Map<VolumeUse, Count> refused = Map.of();

    /** Notes whether the mount table shows a mount for a use. */
    void seen(VolumeUse usage, boolean isMounted) {
      if (isMounted) {
        forget(usage);
      } else {
        if (unmounted.isEmpty()) {
          unmounted = new HashSet<>(2);
        }
        unmounted.add(usage);
      }
    }

    /** Notes that the plugin has refused to release a use. */
    void refused(VolumeUse usage, long nanos) {
      if (unmounted.contains(usage)) {
        if (refused.isEmpty()) {
          refused = new HashMap<>(2);
        }
        refused.merge(
            usage,
            new Count(1, nanos),
            (before, one) -> new Count(before.times() + 1, before.since()));
      }
    }

    /** Restarts the count for a use that has ended or is mounted again. */
    void forget(VolumeUse usage) {
      if (!unmounted.isEmpty()) {
        unmounted.remove(usage);
      }
      if (!refused.isEmpty()) {
        refused.remove(usage);
      }
    }

    /** Forgets the uses that no longer exist. */
    void keepOnly(Set<VolumeUse> uses) {
      if (!unmounted.isEmpty()) {
        unmounted.retainAll(uses);
      }
      if (!refused.isEmpty()) {
        refused.keySet().retainAll(uses);
      }
    }

    /**
     * Returns the uses whose release was refused often enough and for long enough to be dropped.
     */
    Set<VolumeUse> enough(long nanos) {
      Set<VolumeUse> enough = new HashSet<>();
      refused.forEach(
          (usage, count) -> {
            if (count.times() >= MountPolicy.REFUSALS
                && nanos - count.since() >= MountPolicy.REFUSED_FOR.toNanos()) {
              enough.add(usage);
            }
          });
      return enough;
    }
  }
}
