package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeResult;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeContentSource;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.CreationName;
import io.csi4j.volume.catalog.RequestedTopologies;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeChange.Progress;
import io.csi4j.volume.catalog.VolumeChange.Request;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The operations on one volume, from when it comes on record until it is gone. Each blocks, and
 * runs while no other does for that volume. Each state is on record before the storage system hears
 * of it: no other volume is made under a name until it is known what became of the first; that one
 * grows is on record because only the answer says whether the node has to follow; which parameters
 * are being changed is, as nobody else can say which of them are in force; that one is to go stays
 * on record until it is gone.
 */
final class VolumeOperations {

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final PluginRegistry registry;
  private final Function<VolumeKey, Optional<Claim>> claims;
  private final DeletionHold hold;
  private final ValidationResult.Policy validation;
  private final Consumer<OperatorMessage> told;
  private final Clock clock;

  /** What was seen at the last attempt of a change that goes on. */
  private final Map<Attempted, String> seen = new ConcurrentHashMap<>();

  /** The plugins for which it was told that they are asked for older access modes. */
  private final Set<PluginId> toldOfOlderModes = ConcurrentHashMap.newKeySet();

  /**
   * A change of a volume that was tried.
   *
   * @param volume which volume
   * @param wish the kind of the change
   */
  private record Attempted(VolumeKey volume, Class<? extends Request> wish) {}

  VolumeOperations(
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      Clock clock,
      VolumeController.Builder options) {
    this.catalog = catalog;
    this.clock = clock;
    this.controllers = controllers;
    this.calls = calls;
    this.registry = options.plugins;
    this.claims = options.claims;
    this.hold = new DeletionHold(options.book());
    this.validation = options.validation;
    this.told = options.told;
  }

  // ---- volumes that were there before

  /** Takes a volume on record, if its plugin agrees to how it is to be used. */
  CatalogVolume register(CatalogVolume wanted) {
    Subject subject = Subject.of("registering", ControllerCalls.identity(wanted));
    if (wanted.origin() != CatalogVolume.Origin.REGISTERED) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_REQUEST_REFUSED,
          subject,
          "the origin of '"
              + wanted.key()
              + "' is "
              + wanted.origin()
              + ", and that of a volume that was there before is REGISTERED");
    }
    Optional<CatalogEntry> known = catalog.find(wanted.key());
    if (known.isPresent()) {
      return known
          .flatMap(CatalogEntry::volume)
          .filter(there -> isSame(there, wanted))
          .orElseThrow(
              () ->
                  ControllerFailures.refused(
                      OperatorCode.VOLUME_KNOWN_OTHERWISE,
                      subject,
                      "'" + wanted.key() + "' is on record"));
    }
    CatalogEntry record = CatalogEntry.of(wanted, Optional.empty());
    CatalogVolume volume = wanted;
    if (Preference.mayHaveController(wanted.plugin(), registry.plugins())) {
      ControllerFacts facts = facts(wanted.plugin(), subject);
      validate(subject, wanted, facts);
      volume = named(wanted, facts);
      record = decided(CatalogEntry.of(volume, Optional.empty()), subject, facts);
    }
    catalog.put(subject, record);
    return volume;
  }

  private static boolean isSame(CatalogVolume there, CatalogVolume wanted) {
    return there.origin() == CatalogVolume.Origin.REGISTERED
        && there.id().equals(wanted.id())
        && there.context().equals(wanted.context())
        && there.spec().equals(wanted.spec());
  }

  private void validate(Subject subject, CatalogVolume wanted, ControllerFacts facts) {
    ValidationResult answer = controllers.answer(calls.validate(wanted, facts));
    List<Violation> differences =
        answer instanceof ValidationResult.Mismatch mismatch ? mismatch.differences() : List.of();
    String seen = differences.isEmpty() ? words(answer) : ControllerFailures.text(differences);
    if (!answer.isAcceptable(validation)) {
      throw new ControllerException(
          Outcome.REFUSED,
          Messages.of(OperatorCode.VOLUME_NOT_CONFIRMED, subject, seen),
          differences,
          null);
    }
    if (!(answer instanceof ValidationResult.Confirmed)) {
      told.accept(Messages.of(OperatorCode.VALIDATION_UNANSWERED, subject, seen));
    }
  }

  /** The plugin's own words, which are for people: what they mean, nothing here decides. */
  private static String words(ValidationResult answer) {
    return answer.message().isEmpty() ? "" : "the plugin says: \"" + answer.message() + "\"";
  }

  private static CatalogVolume named(CatalogVolume wanted, ControllerFacts facts) {
    CatalogVolume.Builder named = wanted.toBuilder();
    facts.name().ifPresent(named::provider);
    facts.version().ifPresent(named::providerVersion);
    return named.build();
  }

  /**
   * Forgets a volume without holders; it stays in the storage system.
   *
   * @return whether it was on record
   */
  boolean deregister(VolumeKey key) {
    Optional<CatalogEntry> known = catalog.find(key);
    if (known.isPresent()) {
      Subject subject = Subject.of("forgetting volume '" + key + "'");
      refuseClaimed(subject, key);
      // Looked at before the hold of a deletion ends, and once more when the volume is removed.
      Catalog.refuseCut(subject, known.get());
      if (known.get().state() instanceof State.Deleting) {
        hold.endLeft(subject, key);
      }
      catalog.removeUncut(subject, key, () -> refuseClaimed(subject, key));
      unsee(key);
    }
    return known.isPresent();
  }

  /** Forgets a volume whoever holds it, as a person decided. */
  boolean forget(VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    Optional<CatalogEntry> known = catalog.find(key);
    if (known.isEmpty()) {
      return false;
    }
    Subject subject = Subject.of("forgetting volume '" + key + "'");
    String holders;
    try {
      holders = holders(claim(key));
    } catch (ControllerException nobodyCanSay) {
      holders = nobodyCanSay.operatorMessage().seen().text();
    }
    if (known.get().state() instanceof State.Deleting) {
      endLeft(subject, key);
    }
    // A snapshot may have begun since the record was read.
    CatalogEntry last = forget(key).orElse(known.get());
    told.accept(
        Messages.of(
            OperatorCode.VOLUME_FORGOTTEN,
            subject,
            by
                + " decided it: "
                + reason.text()
                + (holders.isEmpty() ? "; nobody holds it" : "; " + holders)
                + (last.pendingSnapshots().isEmpty() ? "" : "; " + Catalog.asked(last))));
    return true;
  }

  /** Ends a hold, unless nobody can say what is claimed: a person decided without that. */
  private void endLeft(Subject subject, VolumeKey key) {
    try {
      hold.endLeft(subject, key);
    } catch (ControllerException nobodyCanSay) {
      told.accept(nobodyCanSay.operatorMessage());
    }
  }

  // ---- making volumes

  /** The volume of this key: the one that there is, or a new one. */
  CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    CatalogEntry known = catalog.find(key).orElse(null);
    if (known == null) {
      CreationName name = new CreationName("csi4j-" + HashedName.inCatalog(key));
      return ask(
          narrowed(new CatalogEntry(key, spec, Optional.of(name), new State.Creating())), true);
    }
    Subject subject = ControllerCalls.about("creating", known);
    if (known.state() instanceof State.Deleting) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
    }
    boolean isSame =
        known
                .spec()
                .equals(
                    spec.toBuilder().mutableParameters(known.spec().mutableParameters()).build())
            && known.volume().map(it -> it.origin() == CatalogVolume.Origin.CREATED).orElse(true);
    if (!isSame && known.state() instanceof State.Creating && isElsewhere(known.spec(), spec)) {
      return askElsewhere(subject, known, spec);
    }
    if (!isSame) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_KNOWN_OTHERWISE,
          subject,
          known.state() instanceof State.Creating
              ? "it is being created already, as something else; create that one, or delete it"
              : "");
    }
    return known.volume().orElseGet(() -> ask(known, false));
  }

  /** Whether two wishes differ in their places alone. */
  private static boolean isElsewhere(VolumeSpec known, VolumeSpec spec) {
    Optional<RequestedTopologies> places = known.topologies();
    return places.isPresent()
        && spec.topologies().isPresent()
        && known.equals(
            spec.toBuilder()
                .topologies(places.get())
                .mutableParameters(known.mutableParameters())
                .build());
  }

  /**
   * Asks under the same name for other places, as the first ones may have no room. If nothing is
   * made there, the former request is on record again: it may have made the volume.
   */
  private CatalogVolume askElsewhere(Subject subject, CatalogEntry known, VolumeSpec spec) {
    VolumeSpec moved = spec.toBuilder().mutableParameters(known.spec().mutableParameters()).build();
    CatalogEntry record = catalog.put(subject, narrowed(known.as(moved).fromSnapshotIn(List.of())));
    try {
      return ask(record, false);
    } catch (ControllerException failed) {
      boolean isOpen = catalog.find(known.key()).filter(record::equals).isPresent();
      if (isOpen && isNotMade(failed)) {
        putBack(subject, known, failed);
      }
      throw failed;
    }
  }

  /**
   * Whether nothing was made: a place without room, too, refuses before it makes something. An
   * answer that is too large for this side ends with the same code, and an earlier attempt of the
   * same call may have made it.
   */
  private static boolean isNotMade(ControllerException failed) {
    return failed.outcome() == Outcome.REFUSED
        || failed.outcome() == Outcome.UNAVAILABLE
        || (failed.getCause() instanceof CsiException answer
            && answer.code() == StatusCode.RESOURCE_EXHAUSTED
            && answer.failure().answered()
            && answer.attempts() == 1);
  }

  private void putBack(Subject subject, CatalogEntry known, ControllerException failed) {
    try {
      catalog.put(subject, known);
    } catch (ControllerException unwritten) {
      failed.addSuppressed(unwritten);
    }
  }

  /**
   * Asks for it.
   *
   * @param isFirst whether it has never been asked for
   */
  private CatalogVolume ask(CatalogEntry begun, boolean isFirst) {
    Subject subject = ControllerCalls.about("creating", begun);
    ControllerFacts facts = facts(begun.spec().plugin(), subject);
    CatalogEntry record = decided(begun, subject, facts);
    if (isFirst) {
      catalog.put(subject, record);
    }
    Volume made;
    try {
      made = controllers.answer(calls.create(record, facts));
    } catch (ControllerException failed) {
      Optional<VolumeId> unusable = made(failed);
      if (unusable.isPresent()) {
        throw unusable(record, unusable.get(), failed);
      }
      if (isFirst && failed.outcome() != Outcome.UNCERTAIN) {
        forget(record.key());
      }
      throw worded(record, failed);
    }
    return keep(record, made, facts);
  }

  /**
   * Returns the record with the places from which the snapshot can be used that the volume is made
   * from, where places are asked for, and the plugin can say. They are kept for as long as the
   * volume is asked for in these places: the request under a name changes with them alone.
   */
  private CatalogEntry narrowed(CatalogEntry begun) {
    VolumeSpec spec = begun.spec();
    if (spec.topologies().isEmpty()
        || !(spec.source().orElse(null) instanceof VolumeContentSource.FromSnapshot from)) {
      return begun;
    }
    Subject subject = ControllerCalls.about("creating", begun);
    ControllerFacts facts = facts(spec.plugin(), subject);
    boolean canSay =
        facts.placesSnapshots()
            && (facts.offers(ControllerCapability.GET_SNAPSHOT)
                || facts.offers(ControllerCapability.LIST_SNAPSHOTS));
    Optional<Snapshot> found =
        canSay ? find(calls.find(spec, from.snapshotId(), facts)) : Optional.empty();
    if (found.isEmpty()) {
      return begun;
    }
    List<Violation> wrong = spec.toBuilder().fromSnapshot(found.get()).violations();
    if (!wrong.isEmpty()) {
      throw new ControllerException(
          Outcome.REFUSED,
          Messages.of(OperatorCode.VOLUME_REQUEST_REFUSED, subject, ControllerFailures.text(wrong)),
          wrong,
          null);
    }
    return begun.fromSnapshotIn(found.get().accessibleTopology());
  }

  /** One that is not there is for the request of the volume to tell; reading leaves no doubt. */
  private Optional<Snapshot> find(ControllerCall<Optional<Snapshot>> call) {
    try {
      return controllers.answer(call);
    } catch (ControllerException failed) {
      if (failed.status().filter(StatusCode.NOT_FOUND::equals).isPresent()) {
        return Optional.empty();
      }
      throw failed.outcome() == Outcome.UNCERTAIN
          ? new ControllerException(
              Outcome.UNAVAILABLE, failed.operatorMessage(), failed.getCause())
          : failed;
    }
  }

  /** The id of what was made, if an answer cannot be used but for that. */
  private static Optional<VolumeId> made(ControllerException failed) {
    return failed.getCause() instanceof CsiAnswerException answer
        ? answer.created().map(VolumeId::of)
        : Optional.empty();
  }

  private CatalogVolume keep(CatalogEntry record, Volume made, ControllerFacts facts) {
    Subject subject = ControllerCalls.about("creating", record);
    refuseOther(record, made.id());
    CatalogVolume.Builder known =
        CatalogVolume.builder(record.key(), record.spec(), made.id())
            .origin(CatalogVolume.Origin.CREATED)
            .context(made.context())
            .topologies(made.accessibleTopology());
    facts.name().ifPresent(known::provider);
    facts.version().ifPresent(known::providerVersion);
    made.capacityBytes().ifPresent(known::capacityBytes);
    CatalogVolume volume = known.build();
    try {
      catalog.put(subject, record.in(new State.Present(volume)));
    } catch (ControllerException failed) {
      if (failed.getCause() instanceof StateException refused
          && refused.reason() == StateReason.STATE_VALUE_TOO_LARGE) {
        throw unusable(record, made.id(), failed);
      }
      // It is there, and the same request finds it again.
      throw new ControllerException(Outcome.UNCERTAIN, failed.operatorMessage(), failed);
    }
    return volume;
  }

  /** Deletes what was made and cannot be used; if that fails, it stays on record as a debt. */
  private ControllerException unusable(
      CatalogEntry record, VolumeId made, ControllerException failed) {
    refuseOther(record, made);
    Subject subject = Subject.of("creating", new VolumeIdentity(record.spec().plugin(), made));
    CatalogEntry doomed =
        catalog.put(subject, record.in(new State.Deleting(Optional.of(made), Optional.empty())));
    ControllerException told =
        new ControllerException(
            Outcome.REFUSED,
            Messages.of(
                OperatorCode.CONTROLLER_ANSWER_UNUSABLE,
                subject,
                failed.violations().isEmpty()
                    ? failed.operatorMessage().seen().text()
                    : ControllerFailures.text(failed.violations())),
            failed.violations(),
            failed.getCause());
    try {
      finish(held(doomed));
    } catch (ControllerException undone) {
      told.addSuppressed(undone);
    }
    return told;
  }

  /** The plugin's refusal is laid on a source only where there is one. */
  private static ControllerException worded(CatalogEntry record, ControllerException failed) {
    if (record.spec().source().isPresent()
        || !failed.violations().isEmpty()
        || !(failed.getCause() instanceof CsiException answer)) {
      return failed;
    }
    Subject subject = ControllerCalls.about("creating", record);
    return switch (answer.code()) {
      case INVALID_ARGUMENT ->
          ControllerFailures.reworded(
              subject,
              answer,
              "a field is missing, or the plugin does not accept a value",
              "Correct the parameters, the ways of use, the size or the places.");
      case NOT_FOUND ->
          ControllerFailures.reworded(
              subject,
              answer,
              "something that the request names is unknown to the plugin",
              "Check what the parameters and places name.");
      case OUT_OF_RANGE ->
          ControllerFailures.reworded(
              subject, answer, "the size asked for is not possible", "Change the capacity range.");
      default -> failed;
    };
  }

  /**
   * Returns the record of a volume that comes on record, with whether its plugin is asked for an
   * older access mode in the place of one that it does not know: told once for a plugin.
   */
  private CatalogEntry decided(CatalogEntry record, Subject subject, ControllerFacts facts) {
    Optional<AccessMode> unknown =
        record.spec().capabilitiesInFull().stream()
            .map(VolumeCapability::accessMode)
            .filter(mode -> mode != mode.withoutSingleNodeMultiWriter())
            .findFirst();
    if (unknown.isEmpty() || facts.offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER)) {
      return record;
    }
    if (toldOfOlderModes.add(record.spec().plugin())) {
      AccessMode mode = unknown.get();
      told.accept(
          Messages.of(
              OperatorCode.ACCESS_MODE_REPLACED,
              subject,
              mode.withoutSingleNodeMultiWriter()
                  + " is sent for "
                  + mode
                  + ", as the controller of the plugin does not offer SINGLE_NODE_MULTI_WRITER; this"
                  + " is said once for the plugin"));
    }
    return record.underOlderModes();
  }

  // ---- changing volumes

  /**
   * Grows a volume; one that is large enough stays as it is. A wish that was not fulfilled gives
   * way to another one, which may be smaller, but not smaller than the volume is.
   */
  CatalogVolume expand(VolumeKey key, CapacityRange to) {
    CatalogEntry record = catalog.there(key, "expanding");
    CatalogVolume volume = record.volume().orElseThrow();
    Optional<State.Growing> before =
        record.state() instanceof State.Growing growing ? Optional.of(growing) : Optional.empty();
    if (before.filter(it -> it.to().equals(to)).isPresent()) {
      return grow(record, before.get(), false).volume().orElseThrow();
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
      withdrawRefused(subject, record);
      return volume;
    }
    ControllerFacts facts = facts(volume.plugin(), subject);
    if (facts.expandsOnlyOffline()) {
      refuseClaimed(subject, key);
    }
    State.Growing begun =
        before
            .map(it -> new State.Growing(maybeGrown(it), notBelow(size(volume), to)))
            .orElseGet(() -> new State.Growing(volume, to));
    return grow(
            catalog.put(subject, record.in(begun).refusingNo(Request.Size.class)),
            begun,
            before.isEmpty())
        .volume()
        .orElseThrow();
  }

  /** A size that the plugin refused is wanted no more; a refusal of the node stays. */
  private void withdrawRefused(Subject subject, CatalogEntry record) {
    CatalogEntry now = record.refusingNo(Request.Size.class);
    for (VolumeChange each : record.refused()) {
      now = each.progress() == Progress.INFEASIBLE_ON_NODE ? now.refusing(each) : now;
    }
    if (!now.equals(record)) {
      catalog.put(subject, now);
    }
  }

  /** The wish, asking for what is there at least: so that its answer says what there is. */
  private static CapacityRange notBelow(long bytes, CapacityRange to) {
    return bytes == 0 || to.requiredBytes().orElse(0) >= bytes
        ? to
        : new CapacityRange(OptionalLong.of(bytes), to.limitBytes());
  }

  private CatalogEntry grow(CatalogEntry record, State.Growing begun, boolean isFirst) {
    CatalogVolume volume = begun.volume();
    Subject subject = Subject.of("expanding", ControllerCalls.identity(volume));
    ControllerExpandVolumeResult answer;
    try {
      ControllerFacts facts = facts(volume.plugin(), subject);
      if (facts.expandsOnlyOffline()) {
        // It may have been claimed since it was to grow.
        refuseClaimed(subject, record.key());
      }
      answer =
          controllers.answer(
              calls.expand(
                  volume,
                  begun.to(),
                  ControllerCalls.known(capability(volume), facts, record.olderModes())));
    } catch (ControllerException failed) {
      if (isFinal(failed) || (isFirst && failed.outcome() == Outcome.UNAVAILABLE)) {
        CatalogEntry before =
            record.in(new State.Present(isFirst ? begun.volume() : maybeGrown(begun)));
        catalog.put(subject, without(before, new Request.Size(begun.to()), failed));
      } else {
        attempted(record.key(), Request.Size.class, failed);
      }
      throw failed;
    }
    OptionalLong bytes = answer.capacityBytes();
    long now = Math.max(bytes.orElse(begun.to().requiredBytes().orElse(0)), size(volume));
    Optional<CapacityRange> owed =
        answer.nodeExpansionRequired()
            ? Optional.of(owed(begun.to(), now))
            : volume.pendingOnNode();
    seen.remove(new Attempted(record.key(), Request.Size.class));
    return catalog.put(
        subject,
        record
            .refusingNo(Request.Size.class)
            .in(
                new State.Present(
                    volume.grown(now == 0 ? OptionalLong.empty() : OptionalLong.of(now), owed))));
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
    return failed.outcome() == Outcome.REFUSED && !isInItsWay;
  }

  /** The record without a change that ended like this: one that was refused is told of. */
  private CatalogEntry without(CatalogEntry record, Request wish, ControllerException failed) {
    seen.remove(new Attempted(record.key(), wish.getClass()));
    return failed.outcome() == Outcome.REFUSED
        ? record.refusing(refusal(wish, Progress.INFEASIBLE, failed.operatorMessage()))
        : record;
  }

  private VolumeChange refusal(Request wish, Progress progress, OperatorMessage message) {
    // As exactly as it is on record.
    Instant now = clock.wall().truncatedTo(ChronoUnit.MILLIS);
    return new VolumeChange(wish, progress, message.seen().text(), Optional.of(now));
  }

  private void attempted(VolumeKey key, Class<? extends Request> wish, ControllerException failed) {
    seen.put(new Attempted(key, wish), failed.operatorMessage().seen().text());
  }

  /** The changes that are not done, with what was seen at the last attempt. */
  List<VolumeChange> changes(VolumeKey key) {
    return catalog.find(key).map(CatalogEntry::changes).orElse(List.of()).stream()
        .map(
            each ->
                each.progress() == Progress.IN_PROGRESS
                    ? new VolumeChange(
                        each.request(),
                        each.progress(),
                        seen.getOrDefault(new Attempted(key, each.request().getClass()), ""),
                        each.at())
                    : each)
        .toList();
  }

  /** A call may have come through: then the node is told what is known, which does no harm. */
  private static CatalogVolume maybeGrown(State.Growing begun) {
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
    return claims
        .apply(volume.key())
        .flatMap(claim -> claimed(volume, claim))
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

  /**
   * Notes that the node has followed.
   *
   * @param isPaid whether what the node has done is what it owes
   */
  CatalogVolume settled(VolumeKey key, Predicate<CapacityRange> isPaid) {
    CatalogEntry record = catalog.there(key, "settling what is owed to the node of");
    CatalogVolume volume = record.volume().orElseThrow();
    if (volume.pendingOnNode().filter(isPaid).isEmpty()) {
      return volume;
    }
    CatalogVolume now = volume.grown(volume.capacityBytes(), Optional.empty());
    // While it grows, its answer says what the node owes then.
    catalog.put(
        Subject.of("expanding", ControllerCalls.identity(volume)),
        record.state() instanceof State.Growing growing
            ? record.in(new State.Growing(now, growing.to()))
            : record.refusingNo(Request.Size.class).in(new State.Present(now)));
    return now;
  }

  /**
   * Notes that the node refused to follow.
   *
   * @param isRefused whether what the node has refused is what it owes
   */
  CatalogVolume refusedByNode(
      VolumeKey key, Predicate<CapacityRange> isRefused, OperatorMessage message) {
    CatalogEntry record = catalog.there(key, "noting what the node said of");
    CatalogVolume volume = record.volume().orElseThrow();
    volume
        .pendingOnNode()
        .filter(isRefused)
        .ifPresent(
            owed ->
                catalog.put(
                    Subject.of("expanding", ControllerCalls.identity(volume)),
                    record.refusing(
                        refusal(new Request.Size(owed), Progress.INFEASIBLE_ON_NODE, message))));
    return volume;
  }

  /**
   * Changes parameters, also of a volume that grows; those that are not named stay as they are.
   * Earlier ones whose end is not known are sent once more with them.
   */
  CatalogVolume modify(VolumeKey key, Map<String, String> changes) {
    CatalogEntry record = catalog.there(key, "modifying");
    CatalogVolume volume = record.volume().orElseThrow();
    SortedMap<String, String> all = new TreeMap<>(record.modifying());
    all.putAll(changes);
    CatalogVolume now = volume.as(volume.spec().toBuilder().mutableParameters(all).build());
    if (all.isEmpty()) {
      // Which is refused before it is sent.
      controllers.answer(calls.modify(volume, all));
      return now;
    }
    CatalogEntry begun =
        catalog.put(
            Subject.of("modifying", ControllerCalls.identity(volume)),
            record.modifying(all).refusingNo(Request.Parameters.class));
    return change(begun, record.modifying().isEmpty());
  }

  /** Sends the parameters that are being changed. */
  private CatalogVolume change(CatalogEntry record, boolean isFirst) {
    CatalogVolume volume = record.volume().orElseThrow();
    Subject subject = Subject.of("modifying", ControllerCalls.identity(volume));
    CatalogEntry settled = record.modifying(Collections.emptySortedMap());
    try {
      controllers.answer(calls.modify(volume, record.modifying()));
    } catch (ControllerException failed) {
      if (isFinal(failed) || (isFirst && failed.outcome() == Outcome.UNAVAILABLE)) {
        catalog.put(subject, without(settled, new Request.Parameters(record.modifying()), failed));
      } else {
        attempted(record.key(), Request.Parameters.class, failed);
      }
      throw failed;
    }
    seen.remove(new Attempted(record.key(), Request.Parameters.class));
    CatalogVolume now =
        volume.as(volume.spec().toBuilder().mutableParameters(record.modifying()).build());
    State state =
        record.state() instanceof State.Growing growing
            ? new State.Growing(now, growing.to())
            : new State.Present(now);
    catalog.put(subject, settled.as(now.spec()).in(state));
    return now;
  }

  // ---- deleting volumes

  /** Deletes a volume that was made here; one that is not on record counts as deleted. */
  void delete(VolumeKey key) {
    catalog.find(key).ifPresent(known -> finish(doom(known)));
  }

  /**
   * A volume that is being deleted.
   *
   * @param record what is on record of it
   * @param held the epoch of the hold that its deletion has
   */
  private record Doomed(CatalogEntry record, long held) {}

  private Doomed held(CatalogEntry doomed) {
    return new Doomed(doomed, hold.take(deleting(doomed), doomed.key()));
  }

  private Doomed doom(CatalogEntry known) {
    Subject subject = deleting(known);
    boolean isForeign =
        known.volume().map(it -> it.origin() == CatalogVolume.Origin.REGISTERED).orElse(false);
    if (isForeign) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_NOT_OURS, subject, "");
    }
    refuseClaimed(subject, known.key());
    if (known.state() instanceof State.Deleting) {
      return held(known);
    }
    Optional<CatalogVolume> before =
        known.spec().ephemeral() ? Optional.empty() : kept(known.state());
    catalog.intend(subject, known.in(new State.Deleting(known.id(), before)));
    if (!hold.isPossible()) {
      // Whoever claims it from now on finds that it is being deleted.
      catalog.show(known.key());
    }
    long held;
    try {
      refuseClaimed(subject, known.key());
      held = hold.take(subject, known.key());
    } catch (ControllerException claimed) {
      if (claimed.outcome() == Outcome.UNCERTAIN) {
        catalog.show(known.key());
      } else {
        catalog.put(subject, known);
      }
      throw claimed;
    }
    // Whoever has claimed it before it was held has found it as it was.
    return new Doomed(catalog.show(known.key()), held);
  }

  /** Growing may have come through, and only its answer would say what is owed to the node. */
  private static Optional<CatalogVolume> kept(State state) {
    if (state instanceof State.Growing growing) {
      return Optional.of(maybeGrown(growing));
    }
    return state instanceof State.Present there ? Optional.of(there.volume()) : Optional.empty();
  }

  /** Refuses what would take a volume from those who hold it, naming them. */
  private void refuseClaimed(Subject subject, VolumeKey key) {
    Claim claim = claim(subject, key);
    if (!claimants(claim).isEmpty()) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_CLAIMED, subject, holders(claim));
    }
  }

  /** The claim of a volume. */
  Claim claim(VolumeKey key) {
    return claim(Subject.of("reading the claim of volume '" + key + "'"), key);
  }

  private Claim claim(Subject subject, VolumeKey key) {
    try {
      return claims.apply(key).orElseGet(() -> Claim.none(key));
    } catch (RuntimeException nobodyCanSay) {
      throw ControllerFailures.failed(
          Outcome.UNAVAILABLE,
          OperatorCode.CLAIM_STORE_DOWN,
          subject,
          "nobody can say who holds it: " + nobodyCanSay.getMessage(),
          nobodyCanSay);
    }
  }

  private static String holders(Claim claim) {
    return claimants(claim).stream()
        .map(
            holder ->
                "workload '"
                    + holder.workload()
                    + "' on node '"
                    + holder.node()
                    + "' holds it ("
                    + holder.mode()
                    + ", "
                    + holder.state()
                    + ")")
        .collect(Collectors.joining(", "));
  }

  /** Those who have a claim; a deletion, which holds the claims, is none of them. */
  static Collection<ClaimHolder> claimants(Claim claim) {
    return claim.others(Claim.DELETION);
  }

  /**
   * Brings a deletion to its end. The claims are held for it from before the storage system is
   * asked until it has answered; the record says so for longer, so that no hold is ever left over.
   */
  private void finish(Doomed begun) {
    CatalogEntry doomed = begun.record();
    State.Deleting going = (State.Deleting) doomed.state();
    CatalogEntry known = doomed;
    VolumeId id = going.id().orElse(null);
    if (id == null) {
      Optional<VolumeId> learned = learn(doomed);
      if (learned.isEmpty()) {
        hold.end(deleting(doomed), doomed.key(), begun.held());
        forget(doomed.key());
        return;
      }
      id = learned.get();
      refuseOther(doomed, id);
      known = catalog.put(deleting(doomed), doomed.in(new State.Deleting(learned, going.before())));
    }
    refuseOther(known, id);
    // It may have been claimed since it was to be deleted.
    refuseClaimed(deleting(known), known.key());
    try {
      controllers.answer(calls.delete(known.spec(), id));
    } catch (ControllerException failed) {
      if (failed.outcome() == Outcome.REFUSED && going.before().isPresent()) {
        hold.end(deleting(known), known.key(), begun.held());
        catalog.put(deleting(known), known.in(new State.Present(going.before().get())));
      }
      throw failed;
    }
    hold.end(deleting(known), known.key(), begun.held());
    forget(known.key());
  }

  /**
   * The same request under the same name finds what was made, or makes it: only so it has an id.
   */
  private Optional<VolumeId> learn(CatalogEntry doomed) {
    Subject subject = deleting(doomed);
    ControllerFacts facts = facts(doomed.spec().plugin(), subject);
    try {
      return Optional.of(controllers.answer(calls.create(doomed, facts)).id());
    } catch (ControllerException failed) {
      Optional<VolumeId> made = made(failed);
      if (made.isPresent()) {
        return made;
      }
      if (failed.outcome() == Outcome.REFUSED) {
        // A refusal is about this attempt alone: an earlier one may have made the volume.
        throw ControllerFailures.failed(
            Outcome.HELD,
            OperatorCode.VOLUME_MAY_BE_LEFT,
            subject,
            failed.operatorMessage().seen().text(),
            failed.getCause());
      }
      throw failed;
    }
  }

  /** A volume that is on record under another name is not touched. */
  private void refuseOther(CatalogEntry record, VolumeId id) {
    VolumeIdentity identity = new VolumeIdentity(record.spec().plugin(), id);
    Optional<CatalogEntry> other = catalog.other(record.key(), identity);
    if (other.isPresent()) {
      throw ControllerFailures.failed(
          Outcome.HELD,
          OperatorCode.VOLUME_ID_TAKEN,
          Subject.of("asking for volume '" + record.key() + "', which got the id of", identity),
          "that is '" + other.get().key() + "'",
          null);
    }
  }

  private static Subject deleting(CatalogEntry record) {
    return record
        .id()
        .map(id -> Subject.of("deleting", new VolumeIdentity(record.spec().plugin(), id)))
        .orElseGet(() -> ControllerCalls.about("deleting", record));
  }

  // ---- what is on record

  /** Goes on with what was begun with a volume. */
  void goOn(VolumeKey key) {
    CatalogEntry record = catalog.find(key).orElse(null);
    if (record != null && record.state() instanceof State.Deleting) {
      finish(held(record));
      return;
    }
    Optional<ControllerException> left = Optional.empty();
    if (record != null && record.state() instanceof State.Growing begun) {
      left = ended(() -> grow(record, begun, false));
    }
    Optional<CatalogEntry> changing = catalog.find(key).filter(CatalogEntry::isBeingModified);
    if (changing.isPresent()) {
      Optional<ControllerException> failed = ended(() -> change(changing.get(), false));
      left = left.or(() -> failed);
    }
    if (left.isPresent()) {
      throw left.get();
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

  /** Forgets a volume, and returns its last record. */
  private Optional<CatalogEntry> forget(VolumeKey key) {
    Optional<CatalogEntry> last = catalog.remove(key);
    unsee(key);
    return last;
  }

  private void unsee(VolumeKey key) {
    seen.keySet().removeIf(each -> each.volume().equals(key));
  }

  private ControllerFacts facts(PluginId plugin, Subject subject) {
    return Controllers.ended(controllers.facts(plugin, subject));
  }
}
