package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeChange.Progress;
import io.csi4j.volume.catalog.VolumeChange.Request;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The changes of a volume that is there: of its size and its parameters. That a volume grows is on
 * record because only the answer says whether the node has to follow; which parameters are being
 * changed is, as nobody else can say which of them are in force.
 */
final class VolumeModification {

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final VolumeClaims claims;
  private final Consumer<OperatorMessage> told;
  private final Consumer<CatalogVolume> modified;
  private final Clock clock;

  /** What was seen at the last attempt of a change that goes on. */
  private final Map<Attempted, String> seen = new ConcurrentHashMap<>();

  /**
   * A change of a volume that was tried.
   *
   * @param volume which volume
   * @param wish the kind of the change
   */
  private record Attempted(VolumeKey volume, Class<? extends Request> wish) {}

  /**
   * The changes of the volumes in this catalog.
   *
   * @param modified receives each volume whose parameters were changed; does not block
   */
  VolumeModification(
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      VolumeClaims claims,
      Consumer<OperatorMessage> told,
      Consumer<CatalogVolume> modified,
      Clock clock) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.claims = claims;
    this.told = told;
    this.modified = modified;
    this.clock = clock;
  }

  // ---- size

  /**
   * Grows a volume; one that is large enough stays as it is. A wish that was not fulfilled gives
   * way to another one, which may be smaller, but not smaller than the volume is.
   */
  CatalogVolume expand(VolumeKey key, CapacityRange to) {
    String doing = "expanding";
    return catalog.work(about(doing, key), key, work -> expand(work, work.there(doing), to));
  }

  private static Subject about(String doing, VolumeKey key) {
    return Subject.of(doing + " volume '" + key + "'");
  }

  private CatalogVolume expand(VolumeWork work, CatalogEntry record, CapacityRange to) {
    VolumeKey key = record.key();
    CatalogVolume volume = record.volume().orElseThrow();
    Optional<State.Growing> before =
        record.state() instanceof State.Growing growing ? Optional.of(growing) : Optional.empty();
    if (before.filter(it -> it.to().equals(to)).isPresent()) {
      return grow(work, record, before.get(), false).volume().orElseThrow();
    }
    Subject subject = Subject.of("expanding", ControllerCalls.identity(volume));
    OptionalLong size = volume.capacityBytes();
    if (size.isPresent() && to.limitBytes().orElse(Long.MAX_VALUE) < size.getAsLong()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_SHRINKS,
          subject,
          "it has " + size.getAsLong() + " bytes, and is asked to have " + to);
    }
    if (before.isEmpty() && size.isPresent() && to.contains(size.getAsLong())) {
      withdrawRefused(subject, work, record);
      return volume;
    }
    ControllerFacts facts = controllers.abilities(volume.plugin(), subject);
    if (facts.expandsOnlyOffline()) {
      claims.refuseHeld(subject, key);
    }
    State.Growing begun =
        before
            .map(it -> new State.Growing(maybeGrown(it), notBelow(size(volume), to)))
            .orElseGet(() -> new State.Growing(volume, to));
    return grow(work, record.in(begun).refusingNo(Request.Size.class), begun, before.isEmpty())
        .volume()
        .orElseThrow();
  }

  /** A size that the plugin refused is wanted no more; a refusal of the node stays. */
  private static void withdrawRefused(Subject subject, VolumeWork work, CatalogEntry record) {
    CatalogEntry now = record.refusingNo(Request.Size.class);
    for (VolumeChange each : record.refused()) {
      now = each.progress() == Progress.INFEASIBLE_ON_NODE ? now.refusing(each) : now;
    }
    if (!now.equals(record)) {
      work.end(subject, now);
    }
  }

  /** The wish, asking for what is there at least: so that its answer says what there is. */
  private static CapacityRange notBelow(long bytes, CapacityRange to) {
    return bytes == 0 || to.requiredBytes().orElse(0) >= bytes
        ? to
        : new CapacityRange(OptionalLong.of(bytes), to.limitBytes());
  }

  private CatalogEntry grow(
      VolumeWork work, CatalogEntry growing, State.Growing begun, boolean isFirst) {
    CatalogVolume volume = begun.volume();
    Subject subject = Subject.of("expanding", ControllerCalls.identity(volume));
    CatalogEntry record = work.begin(subject, growing);
    ControllerService.ExpandVolumeResult answer;
    try {
      ControllerFacts facts = controllers.abilities(volume.plugin(), subject);
      if (facts.expandsOnlyOffline()) {
        // It may have been claimed since it was to grow.
        claims.refuseHeld(subject, record.key());
      }
      answer =
          controllers.answer(
              work.guarded(
                  calls.expand(
                      volume,
                      begun.to(),
                      ControllerCalls.known(capability(volume), facts, record.olderModes()))));
    } catch (ControllerException failed) {
      CatalogEntry before = record.in(new State.Present(isFirst ? volume : maybeGrown(begun)));
      throw failed(subject, work, before, new Request.Size(begun.to()), isFirst, failed);
    }
    OptionalLong bytes = answer.capacityBytes();
    long now = Math.max(bytes.orElse(begun.to().requiredBytes().orElse(0)), size(volume));
    Optional<CapacityRange> owed =
        answer.nodeExpansionRequired()
            ? Optional.of(owed(begun.to(), now))
            : volume.pendingOnNode();
    seen.remove(new Attempted(record.key(), Request.Size.class));
    return step(
        work,
        subject,
        record
            .refusingNo(Request.Size.class)
            .in(
                new State.Present(
                    volume.grown(now == 0 ? OptionalLong.empty() : OptionalLong.of(now), owed))));
  }

  /** Writes a step; work on the parameters of the volume may follow it. */
  private static CatalogEntry step(VolumeWork work, Subject subject, CatalogEntry next) {
    return next.isBeingModified() ? work.begin(subject, next) : work.end(subject, next);
  }

  /** A call may have come through: then the node is told what is known, which does no harm. */
  static CatalogVolume maybeGrown(State.Growing begun) {
    CatalogVolume volume = begun.volume();
    return volume.grown(
        volume.capacityBytes(),
        volume.pendingOnNode().or(() -> Optional.of(owed(begun.to(), size(volume)))));
  }

  private static long size(CatalogVolume volume) {
    return volume.capacityBytes().orElse(0);
  }

  private static CapacityRange owed(CapacityRange to, long bytes) {
    return bytes == 0 ? to : CapacityRange.atLeast(bytes);
  }

  /** As it is used now, else the first way in which it may be: as the node calls have it. */
  private VolumeCapability capability(CatalogVolume volume) {
    return claimed(volume, claims.claim(volume.key()))
        .orElseGet(() -> volume.spec().capabilitiesInFull().iterator().next());
  }

  /** With the mount options of the holder who was first, as it was attached for him. */
  private static Optional<VolumeCapability> claimed(CatalogVolume volume, Claim claim) {
    Optional<MountOptions> options =
        claim.holders().values().stream()
            .min(Comparator.comparingLong(ClaimHolder::epoch))
            .flatMap(ClaimHolder::options);
    return claim
        .use()
        .flatMap(use -> volume.capability(use.mode(), use.attachment()))
        .map(
            own ->
                own.mountOptions().isPresent() && options.isPresent()
                    ? VolumeCapability.mount(own.accessMode(), options.get())
                    : own);
  }

  /** Notes that the node has made a volume that large, if it owes just that. */
  CatalogVolume settled(VolumeKey key, CapacityRange to) {
    String doing = "settling what is owed to the node of";
    return catalog.work(about(doing, key), key, work -> settled(work, work.there(doing), to));
  }

  private static CatalogVolume settled(VolumeWork work, CatalogEntry record, CapacityRange to) {
    CatalogVolume volume = record.volume().orElseThrow();
    if (volume.pendingOnNode().filter(to::equals).isEmpty()) {
      return volume;
    }
    CatalogVolume now = volume.grown(volume.capacityBytes(), Optional.empty());
    // While it grows, its answer says what the node owes then.
    CatalogEntry settled =
        record.state() instanceof State.Growing ? record : record.refusingNo(Request.Size.class);
    work.end(Subject.of("expanding", ControllerCalls.identity(volume)), as(now, settled));
    return now;
  }

  /** Notes that the node refused to make a volume that large, if it owes just that. */
  CatalogVolume refusedByNode(VolumeKey key, CapacityRange to, OperatorMessage message) {
    String doing = "noting what the node said of";
    return catalog.work(
        about(doing, key), key, work -> refusedByNode(work, work.there(doing), to, message));
  }

  private CatalogVolume refusedByNode(
      VolumeWork work, CatalogEntry record, CapacityRange to, OperatorMessage message) {
    CatalogVolume volume = record.volume().orElseThrow();
    volume
        .pendingOnNode()
        .filter(to::equals)
        .map(Request.Size::new)
        // A node reports it again and again.
        .filter(size -> !isRefusedByNode(record, size))
        .ifPresent(
            size ->
                work.end(
                    Subject.of("expanding", ControllerCalls.identity(volume)),
                    record.refusing(refusal(size, Progress.INFEASIBLE_ON_NODE, message))));
    return volume;
  }

  private static boolean isRefusedByNode(CatalogEntry record, Request.Size size) {
    return record.refused().stream()
        .anyMatch(
            each -> each.progress() == Progress.INFEASIBLE_ON_NODE && each.request().equals(size));
  }

  // ---- parameters

  /**
   * Changes parameters, also of a volume that grows; those that are not named stay as they are.
   * Earlier ones whose end is not known are sent once more with them.
   */
  CatalogVolume modify(VolumeKey key, Map<String, String> changes) {
    String doing = "modifying";
    return catalog.work(about(doing, key), key, work -> modify(work, work.there(doing), changes));
  }

  private CatalogVolume modify(VolumeWork work, CatalogEntry record, Map<String, String> changes) {
    CatalogVolume volume = record.volume().orElseThrow();
    SortedMap<String, String> all = new TreeMap<>(record.modifying());
    all.putAll(changes);
    CatalogVolume now = volume.as(volume.spec().toBuilder().mutableParameters(all).build());
    if (all.isEmpty()) {
      // Which is refused before it is sent.
      controllers.answer(calls.modify(volume, all));
      return now;
    }
    return change(
        work,
        record.modifying(all).refusingNo(Request.Parameters.class),
        record.modifying().isEmpty());
  }

  /** Sends the parameters that are being changed. */
  private CatalogVolume change(VolumeWork work, CatalogEntry begun, boolean isFirst) {
    CatalogVolume volume = begun.volume().orElseThrow();
    Subject subject = Subject.of("modifying", ControllerCalls.identity(volume));
    CatalogEntry record = work.begin(subject, begun);
    CatalogEntry settled = record.modifying(Collections.emptySortedMap());
    try {
      controllers.answer(work.guarded(calls.modify(volume, record.modifying())));
    } catch (ControllerException failed) {
      Request wish = new Request.Parameters(record.modifying());
      throw failed(subject, work, settled, wish, isFirst, failed);
    }
    seen.remove(new Attempted(record.key(), Request.Parameters.class));
    CatalogVolume now =
        volume.as(volume.spec().toBuilder().mutableParameters(record.modifying()).build());
    work.end(subject, as(now, settled.as(now.spec())));
    modified.accept(now);
    return now;
  }

  /** The record of a volume as it is now, which grows on if it grows. */
  static CatalogEntry as(CatalogVolume now, CatalogEntry record) {
    return record.in(
        record.state() instanceof State.Growing growing
            ? new State.Growing(now, growing.to())
            : new State.Present(now));
  }

  // ---- those that are not done

  /** The changes that are not done, with what was seen at the last attempt. */
  List<VolumeChange> changes(VolumeKey key) {
    return catalog.known(key).map(this::shown).orElse(List.of());
  }

  private List<VolumeChange> shown(CatalogEntry record) {
    return record.changes().stream()
        .map(
            each ->
                each.progress() == Progress.IN_PROGRESS
                    ? new VolumeChange(
                        each.request(),
                        each.progress(),
                        seen.getOrDefault(
                            new Attempted(record.key(), each.request().getClass()), ""),
                        each.at())
                    : each)
        .toList();
  }

  /**
   * Gives up the changes that are not done, and returns them. The last call of each may have
   * changed the volume: the node is asked to follow a size, which does no harm if there is none.
   */
  List<VolumeChange> abandon(VolumeKey key) {
    String doing = "abandoning the changes of";
    return catalog.work(about(doing, key), key, work -> abandon(work, work.there(doing)));
  }

  private List<VolumeChange> abandon(VolumeWork work, CatalogEntry record) {
    List<VolumeChange> abandoned =
        shown(record).stream().filter(it -> it.progress() == Progress.IN_PROGRESS).toList();
    if (!abandoned.isEmpty()) {
      CatalogEntry next =
          record.state() instanceof State.Growing growing
              ? record.in(new State.Present(maybeGrown(growing)))
              : record;
      work.end(
          about("abandoning the changes of", record.key()),
          next.modifying(Collections.emptySortedMap()));
      unsee(record.key());
    }
    return abandoned;
  }

  /** Goes on with the changes of a volume that were begun. */
  void goOn(VolumeWork work) {
    Optional<ControllerException> left =
        work.entry()
            .filter(record -> record.state() instanceof State.Growing)
            .flatMap(
                record -> ended(() -> grow(work, record, (State.Growing) record.state(), false)));
    Optional<ControllerException> alsoLeft =
        work.entry()
            .filter(CatalogEntry::isBeingModified)
            .flatMap(record -> ended(() -> change(work, record, false)));
    if (left.or(() -> alsoLeft).isPresent()) {
      throw left.or(() -> alsoLeft).get();
    }
  }

  /** Why a change has to be tried again; nothing if it is at its end, and nobody waits for it. */
  private Optional<ControllerException> ended(Runnable change) {
    try {
      change.run();
      return Optional.empty();
    } catch (ControllerException failed) {
      if (!isFinal(failed)) {
        return Optional.of(failed);
      }
      told.accept(failed.operatorMessage());
      return Optional.empty();
    }
  }

  /**
   * Returns whether a change is refused for good, so that it is not asked for again before the host
   * does. It is not if the state of the volume is in its way, such as its use: the spec has that
   * repeated with growing pauses, and only that.
   */
  private static boolean isFinal(ControllerException failed) {
    boolean isInItsWay =
        failed.code() == OperatorCode.VOLUME_CLAIMED
            || failed.status().filter(StatusCode.FAILED_PRECONDITION::equals).isPresent();
    return failed.outcome() == ChangeOutcome.REFUSED && !isInItsWay;
  }

  /**
   * Notes that a change failed, and returns its failure. One that goes on is seen with it; one that
   * was refused is told of.
   *
   * @param without the record without the change
   */
  private ControllerException failed(
      Subject subject,
      VolumeWork work,
      CatalogEntry without,
      Request wish,
      boolean isFirst,
      ControllerException failed) {
    Attempted attempted = new Attempted(without.key(), wish.getClass());
    if (!isFinal(failed) && !(isFirst && failed.outcome() == ChangeOutcome.UNAVAILABLE)) {
      seen.put(attempted, failed.operatorMessage().seen().text());
      return ControllerFailures.onRecord(failed);
    }
    seen.remove(attempted);
    if (failed.outcome() != ChangeOutcome.REFUSED) {
      step(work, subject, without);
      return failed;
    }
    try {
      step(
          work,
          subject,
          without.refusing(refusal(wish, Progress.INFEASIBLE, failed.operatorMessage())));
    } catch (ControllerException unwritten) {
      if (unwritten.code() != OperatorCode.VOLUME_RECORD_FULL) {
        throw unwritten;
      }
      // The refusal has a text, for which the record lacks the space.
      step(work, subject, without);
    }
    return failed;
  }

  private VolumeChange refusal(Request wish, Progress progress, OperatorMessage message) {
    // As exactly as it is on record.
    Instant now = clock.wall().truncatedTo(ChronoUnit.MILLIS);
    return new VolumeChange(wish, progress, message.seen().text(), Optional.of(now));
  }

  /** Forgets what was seen of a volume that is not on record any more. */
  void unsee(VolumeKey key) {
    seen.keySet().removeIf(each -> each.volume().equals(key));
  }
}
