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

/** The memory of one volume: what is known of it, and what of that is on record. */
final class VolumeMemory {

  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final UnendedCalls doubts = new UnendedCalls();
  private final RefusedReleases refusals = new RefusedReleases();

  /** Whether the plugin has said that it has no such call, and was not asked since what it has. */
  private boolean isCallMissing;

  /**
   * The processes that had a call to mount whose end was not known for a time, by the use, or none
   * for the staging: they may do it even after the same call was answered. Shared while it is
   * empty.
   */
  private Map<Optional<VolumeUse>, Set<String>> unsettled = Map.of();

  private @Nullable VolumeRecord record;

  /** The last record that was written; null when it is not certain what is there. */
  private @Nullable VolumeRecord saved;

  /** Whether that is written, and need not be on the medium. */
  private boolean isDeferred;

  /** Whether a record or a directory of it was found or made, and was not removed since. */
  private boolean isLeft;

  VolumeMemory(VolumeIdentity identity, EngineParts parts) {
    this.identity = identity;
    this.parts = parts;
  }

  /** Returns the volume as it is; nothing if it is not known. */
  Optional<VolumeRecord> record() {
    return Optional.ofNullable(record);
  }

  /** One use of it. */
  Optional<TargetRecord> use(VolumeUse usage) {
    return record().flatMap(known -> known.target(usage));
  }

  void set(VolumeRecord next) {
    record = next;
  }

  /** Knows what was found, all of which is on record. */
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

  /** The process that had the last call for a path, or one before, may have a call to mount. */
  private void unsettled(Optional<VolumeUse> use, PathRecord path) {
    unsettled(use, path.pending().map(Pending::instance).orElse(""));
  }

  private void unsettled(Optional<VolumeUse> use, String instance) {
    unsettled = unsettled.isEmpty() ? new HashMap<>(2) : unsettled;
    unsettled.computeIfAbsent(use, none -> new HashSet<>(2)).add(instance);
  }

  /** A stray use was mounted by a call that was given up, and there may be more of them. */
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
   * The process of the plugin is known now: a call that was made to one that was not known was made
   * to this one, or to one before it.
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

  /** The uses of which a publication has ended neither with an answer nor with its process. */
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

  /** Whether the volume is known, and what was written of it last was taken. */
  boolean isOnRecord() {
    return record != null && saved != null;
  }

  /** Knows that nothing of this is on record. */
  void notOnRecord() {
    saved = null;
  }

  /**
   * Knows nothing any more, if nothing is left; tells whether that is so. An operation that had
   * nothing to do leaves the record of an empty volume to the cleanup.
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

  // ---- on record

  /** Writes the volume down, unless just this is on record. */
  Event.Saved save(Step.Save save) {
    if (save.record().equals(saved)) {
      return new Event.Saved(Optional.empty());
    }
    Event.Saved done =
        written(
            () -> {
              boolean isIntent = save.need() == Need.ON_THE_MEDIUM;
              // Where nothing is on record yet, this is all that a power cut leaves of it.
              Durability otherwise = saved == null ? Durability.BEST_EFFORT : Durability.DEFERRED;
              Stored stored = put(save.record(), isIntent ? Durability.REQUIRED : otherwise);
              // The plugin gets no call to mount of which the disk knows nothing.
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

  /** Has what was written put on the medium, before anybody is told how an operation ended. */
  void settle() {
    VolumeRecord written = saved;
    if (isDeferred && written != null) {
      Event.Saved ignored = written(() -> put(written, Durability.BEST_EFFORT));
    }
  }

  /** Forgets a volume that never was. */
  Event.Saved forget() {
    return removed(() -> parts.state().remove(parts.layout().key(identity)));
  }

  /** Forgets a volume that was, and remembers that. */
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

  /** Writes this down if that is possible, and knows it in any case. */
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

  /** Whether a process of the plugin has certainly ended, and with it what it was working on. */
  private static boolean isOver(String instance, NodePlugin plugin) {
    String now = plugin.instance();
    return !instance.isEmpty()
        && !now.isEmpty()
        && !instance.equals(now)
        && !plugin.mayStillRun(instance);
  }

  // ---- what is so at the moment

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

  /** Whether a call may be going on in the plugin that keeps its opposite waiting. */
  boolean isQuarantined(NodePlugin plugin) {
    return !situation(plugin).quarantined().isEmpty();
  }

  // ---- calls whose end is not known

  /** Keeps on record which process of the plugin gets a call, if it is another than was thought. */
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

  /** The mount of a use was looked at. */
  void looked(VolumeUse usage, Event.Looked looked) {
    refusals.seen(usage, !looked.target().isEmpty() || looked.device());
  }

  /** Whether the plugin has to be asked what it offers before a call is made again. */
  boolean isCallMissing() {
    return isCallMissing;
  }

  /** The plugin has said what it offers. */
  void offered() {
    isCallMissing = false;
  }

  /** Remembers since when the end of a call is not known, or that it is. */
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
      // What was refused before a publication says nothing of what that has done.
      call.usage().ifPresent(refusals::forget);
    }
  }

  /** The end of a call is not known. */
  void unknown(Step.Call call, String instance) {
    if (call.verb().isForward()) {
      unsettled(call.usage(), instance);
    }
    doubts.begin(call.usage(), parts.clock().nanos(), instance);
  }

  // ---- uses that are not on record

  /**
   * Returns the mounts of all uses, on record or not. Where there is no directory of a use, nothing
   * is mounted for it, so the mounts of the whole machine are not listed.
   *
   * @throws MountException if the kernel does not tell
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

  /** The volume, with what is mounted for uses that are not on record. */
  VolumeRecord withStrays(VolumeRecord known) {
    try {
      List<Sighting> mounted = mountedUses();
      return mounted.isEmpty() ? known : Strays.with(parts.layout(), known, mounted);
    } catch (MountException e) {
      // The next look at the table, which comes soon, says so.
      return known;
    }
  }

  /** Gives a use of which only the directory is left its name again; tells whether there is one. */
  boolean name(VolumeUse usage) {
    boolean isLeft = use(StrayUse.of(identity, usage)).isPresent();
    if (isLeft) {
      keep(named(record().orElseThrow(), usage));
      settle();
    }
    return isLeft;
  }

  /** Keeps in mind that a use is to be given up, if it is on record. */
  void release(VolumeUse usage) {
    use(usage)
        .ifPresent(
            use ->
                record =
                    record().orElseThrow().withTarget(use.with(use.path().as(PathStatus.GOING))));
  }

  /** Returns the volume as it is known before a use is published in this way. */
  VolumeRecord before(Goal.Publish goal) {
    // What is on record gets its name. What is only mounted at the path of this use does not: who
    // knows what it is; it has to go before the use can come. One path is never on record twice.
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

  /** Whether nothing is known of a use but that there was one. */
  private static boolean isNameOnly(PathRecord path) {
    return path.equals(PathRecord.NONE.as(PathStatus.IN_DOUBT));
  }

  /**
   * Since when, and of which process of the plugin, the end of calls is not known; by target, and
   * empty for the staging.
   */
  static final class UnendedCalls {

    private record Uncertainty(long since, String instance) {}

    /** Shared while it is empty, as it is for a volume with which nothing is done. */
    private Map<Optional<VolumeUse>, Uncertainty> doubts = Map.of();

    /** The end of the call that is on record for this path is not known. */
    void begin(Optional<VolumeUse> path, long nanos, String instance) {
      if (doubts.isEmpty()) {
        doubts = new HashMap<>(2);
      }
      doubts.put(path, new Uncertainty(nanos, instance));
    }

    /** The end of a call is known. */
    void end(Optional<VolumeUse> path) {
      if (!doubts.isEmpty()) {
        doubts.remove(path);
      }
      if (doubts.isEmpty()) {
        doubts = Map.of();
      }
    }

    /** Doubts everything that was not known to have ended when this was remembered. */
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
     * The paths whose call may still be going on in the plugin.
     *
     * @param running whether a process that was the plugin may still be there
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
   * How often, and since when, a plugin has refused to release uses for which nothing was mounted.
   * Only what was seen since the start counts. Used in the mailbox of the volume only.
   */
  private static final class RefusedReleases {

    /**
     * The refusals since nothing is mounted.
     *
     * @param times how often, once at least
     * @param since when it was the first time
     */
    private record Count(int times, long since) {}

    /** The uses for which nothing was mounted at the last look; shared while it is empty. */
    private Set<VolumeUse> unmounted = Set.of();

    /** Those of them whose release was refused since. */
    private Map<VolumeUse, Count> refused = Map.of();

    /** The mount of a use was looked at. */
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

    /** The plugin has refused to release a use. */
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

    /** The count begins again for a use: it is over, or there again. */
    void forget(VolumeUse usage) {
      if (!unmounted.isEmpty()) {
        unmounted.remove(usage);
      }
      if (!refused.isEmpty()) {
        refused.remove(usage);
      }
    }

    /** Forgets the uses that are no more. */
    void keepOnly(Set<VolumeUse> uses) {
      if (!unmounted.isEmpty()) {
        unmounted.retainAll(uses);
      }
      if (!refused.isEmpty()) {
        refused.keySet().retainAll(uses);
      }
    }

    /** The uses that were refused often and long enough. */
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
