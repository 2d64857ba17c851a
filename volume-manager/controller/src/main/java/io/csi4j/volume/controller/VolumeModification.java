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
 * Changes of an existing volume: of its size and its parameters. An expansion is recorded because
 * only its answer shows whether the node must expand the filesystem; parameters that are being
 * changed are recorded because the plugin does not report which of them are in force.
 */
final class VolumeModification {

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final VolumeClaims claims;
  private final Consumer<OperatorMessage> told;
  private final Consumer<CatalogVolume> modified;
  private final Clock clock;

  /** The failures of the last attempts of unfinished changes. */
  private final Map<Attempted, String> seen = new ConcurrentHashMap<>();

  /**
   * A change that was attempted.
   *
   * @param volume the volume
   * @param wish the kind of the change
   */
  private record Attempted(VolumeKey volume, Class<? extends Request> wish) {}

  /**
   * Creates the changes of the volumes in this catalog.
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
   * Expands a volume; a volume that is large enough is not changed. A request that was not
   * fulfilled is replaced by the new one, which may be smaller, but not smaller than the volume.
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
          "it has " + size.getAsLong() + " bytes, but the request is " + to);
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

  /** Removes a size that the plugin refused; a refusal of the node stays. */
  private static void withdrawRefused(Subject subject, VolumeWork work, CatalogEntry record) {
    CatalogEntry now = record.refusingNo(Request.Size.class);
    for (VolumeChange each : record.refused()) {
      now = each.progress() == Progress.INFEASIBLE_ON_NODE ? now.refusing(each) : now;
    }
    if (!now.equals(record)) {
      work.end(subject, now);
    }
  }

  /**
   * Returns the requested size, raised to the current one, so that the answer reports the current
   * state.
   */
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
        // The volume may have been claimed since its expansion was recorded.
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

  /** Writes a step; work on the parameters of the volume may follow. */
  private static CatalogEntry step(VolumeWork work, Subject subject, CatalogEntry next) {
    return next.isBeingModified() ? work.begin(subject, next) : work.end(subject, next);
  }

  /**
   * An expansion may have succeeded: the node then expands the filesystem to the known size, which
   * does no harm.
   */
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

  /** The current kind of use, or else the first supported one, as in calls to the node. */
  private VolumeCapability capability(CatalogVolume volume) {
    return claimed(volume, claims.claim(volume.key()))
        .orElseGet(() -> volume.spec().capabilitiesInFull().iterator().next());
  }

  /** Uses the mount options of the first holder, for whom the volume was attached. */
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

  /** Records that the node has expanded a volume to this size, if exactly that is pending. */
  CatalogVolume settled(VolumeKey key, CapacityRange to) {
    String doing = "recording the expansion on the node of";
    return catalog.work(about(doing, key), key, work -> settled(work, work.there(doing), to));
  }

  private static CatalogVolume settled(VolumeWork work, CatalogEntry record, CapacityRange to) {
    CatalogVolume volume = record.volume().orElseThrow();
    if (volume.pendingOnNode().filter(to::equals).isEmpty()) {
      return volume;
    }
    CatalogVolume now = volume.grown(volume.capacityBytes(), Optional.empty());
    // While the volume is being expanded, the answer of the controller shows what is pending on the
    // node.
    CatalogEntry settled =
        record.state() instanceof State.Growing ? record : record.refusingNo(Request.Size.class);
    work.end(Subject.of("expanding", ControllerCalls.identity(volume)), as(now, settled));
    return now;
  }

  /** Records that the node refused to expand a volume to this size, if exactly that is pending. */
  CatalogVolume refusedByNode(VolumeKey key, CapacityRange to, OperatorMessage message) {
    String doing = "recording the answer of the node about";
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
        // A node reports the refusal repeatedly.
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
   * Changes parameters, also of a volume that is being expanded; parameters that are not given stay
   * unchanged. Earlier parameters whose result is uncertain are sent again with them.
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
      // An empty change is refused before it is sent.
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

  /** Returns the record with the volume's current state; a pending expansion stays pending. */
  static CatalogEntry as(CatalogVolume now, CatalogEntry record) {
    return record.in(
        record.state() instanceof State.Growing growing
            ? new State.Growing(now, growing.to())
            : new State.Present(now));
  }

  // ---- changes that are not done

  /** Returns the changes that are not done, with the failures of the last attempts. */
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
   * Abandons the changes that are not done, and returns them. The last call of each may have
   * changed the volume: the node is asked to expand the filesystem, which does no harm if there was
   * no change.
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

  /** Continues the pending changes of a volume. */
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

  /** Returns why a change must be retried; empty if it has ended, and no caller waits for it. */
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
   * Returns whether a change is refused for good, so that only the host repeats it. A refusal due
   * to the state of the volume, such as its use, is not final: CSI has only this case repeated with
   * growing pauses.
   */
  private static boolean isFinal(ControllerException failed) {
    boolean isInItsWay =
        failed.code() == OperatorCode.VOLUME_CLAIMED
            || failed.status().filter(StatusCode.FAILED_PRECONDITION::equals).isPresent();
    return failed.outcome() == ChangeOutcome.REFUSED && !isInItsWay;
  }

  /**
   * Notes that a change failed, and returns its failure. The failure of a change that goes on is
   * kept for {@link #changes}; a refused change is recorded as refused.
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
    // The same precision as in the record.
    Instant now = clock.wall().truncatedTo(ChronoUnit.MILLIS);
    return new VolumeChange(wish, progress, message.seen().text(), Optional.of(now));
  }

  /** Discards the failures of a volume that has no record any more. */
  void unsee(VolumeKey key) {
    seen.keySet().removeIf(each -> each.volume().equals(key));
  }
}
