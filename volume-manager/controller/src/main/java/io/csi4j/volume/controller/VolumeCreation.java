package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.catalog.ClusterNames;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Creates the records of volumes: registers an existing volume, or creates a new one. No second
 * volume is created under a name until the result of the first request is known.
 */
final class VolumeCreation {

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final VolumeDeletion deletion;
  private final VolumeClaims claims;
  private final DeletionHold hold;
  private final PluginInstances instances;
  private final ValidationResult.Policy validation;
  private final Consumer<OperatorMessage> told;

  /** The plugins for which the use of older access modes was already reported. */
  private final Set<PluginId> toldOfOlderModes = ConcurrentHashMap.newKeySet();

  VolumeCreation(
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      VolumeDeletion deletion,
      VolumeClaims claims,
      VolumeController.Builder options) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.deletion = deletion;
    this.claims = claims;
    this.hold = options.hold();
    this.instances = options.instances();
    this.validation = options.validation;
    this.told = options.told;
  }

  // ---- existing volumes

  /**
   * Registers a volume, or changes the changeable parts of a recorded one, if its plugin confirms
   * the use.
   */
  CatalogVolume register(CatalogVolume wanted) {
    Subject subject = Subject.of("registering", ControllerCalls.identity(wanted));
    refuseOrigin(subject, wanted, CatalogVolume.Origin.REGISTERED, "that existed before");
    return catalog.work(
        subject,
        wanted.key(),
        work ->
            work.entry()
                .map(record -> describe(subject, work, record, wanted))
                .orElseGet(
                    () -> registered(subject, work, CatalogEntry.of(wanted, Optional.empty()))));
  }

  /**
   * Creates the record of a volume that a cluster has created and that has none.
   *
   * @param unknown the volumes of that cluster without a record
   */
  CatalogVolume adopt(
      ClusterIdentity cluster, CatalogVolume wanted, Supplier<List<VolumeEntry>> unknown) {
    Subject subject = Subject.of("adopting", ControllerCalls.identity(wanted));
    refuseOrigin(subject, wanted, CatalogVolume.Origin.CREATED, "that a cluster created");
    return catalog.work(
        subject,
        wanted.key(),
        work ->
            known(subject, work, wanted)
                .orElseGet(
                    () -> adopt(subject, work, cluster, wanted, listed(cluster, wanted, unknown))));
  }

  private static VolumeEntry listed(
      ClusterIdentity cluster, CatalogVolume wanted, Supplier<List<VolumeEntry>> unknown) {
    return unknown.get().stream()
        .filter(each -> each.volume().id().equals(wanted.id()))
        .findFirst()
        .orElseThrow(
            () ->
                ControllerFailures.refused(
                    OperatorCode.VOLUME_REQUEST_REFUSED,
                    Subject.of("adopting", ControllerCalls.identity(wanted)),
                    "the plugin lists no such volume of cluster '"
                        + cluster
                        + "' without a record"));
  }

  private CatalogVolume adopt(
      Subject subject,
      VolumeWork work,
      ClusterIdentity cluster,
      CatalogVolume wanted,
      VolumeEntry entry) {
    Volume listed = entry.volume();
    CatalogVolume.Builder found = wanted.toBuilder();
    if (wanted.context().isEmpty()) {
      found.context(listed.context());
    }
    if (wanted.capacityBytes().isEmpty()) {
      listed.capacityBytes().ifPresent(found::capacityBytes);
    }
    CatalogEntry record =
        confirmed(subject, CatalogEntry.of(found.build(), ClusterNames.in(listed, cluster)));
    var unused = work.propose(subject, record);
    // It may have been adopted under another key since it was listed.
    catalog.refuseOther(record, wanted.id());
    work.end(subject, record);
    return record.volume().orElseThrow();
  }

  private static void refuseOrigin(
      Subject subject, CatalogVolume wanted, CatalogVolume.Origin origin, String of) {
    if (wanted.origin() != origin) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_REQUEST_REFUSED,
          subject,
          "the origin of '"
              + wanted.key()
              + "' is "
              + wanted.origin()
              + ", but a volume "
              + of
              + " has the origin "
              + origin);
    }
  }

  /** Changes the changeable parts of a recorded volume, if its plugin confirms them. */
  private CatalogVolume describe(
      Subject subject, VolumeWork work, CatalogEntry record, CatalogVolume wanted) {
    CatalogVolume there =
        record
            .volume()
            .filter(it -> it.origin() == CatalogVolume.Origin.REGISTERED)
            .orElseThrow(() -> otherwise(subject, wanted, "but was not registered"));
    refuseOther(subject, there, wanted);
    CatalogVolume next = there.describedBy(wanted);
    if (next.equals(there)) {
      return there;
    }
    boolean concernsUses = !next.equals(there.as(there.spec().withSecretsOf(wanted.spec())));
    if (concernsUses) {
      claims.refuseHeld(subject, wanted.key());
    }
    CatalogEntry agreed = confirmed(subject, record.as(next.spec()).in(new State.Present(next)));
    CatalogVolume volume = agreed.volume().orElseThrow();
    CatalogEntry described =
        record.state() instanceof State.Growing growing
            ? agreed.in(new State.Growing(volume, growing.to()))
            : agreed;
    // The volume may have been claimed during the call to the plugin.
    if (concernsUses && hold.isTogether()) {
      work.end(subject, described, hold.unclaimed(wanted.key()));
    } else {
      if (concernsUses) {
        claims.refuseHeld(subject, wanted.key());
      }
      work.end(subject, described);
    }
    return volume;
  }

  /** Rejects a description that cannot be one of the same volume. */
  private static void refuseOther(Subject subject, CatalogVolume there, CatalogVolume wanted) {
    VolumeSpec known = there.spec();
    VolumeSpec other = wanted.spec();
    if (!there.plugin().equals(wanted.plugin())) {
      throw otherwise(subject, wanted, "as a volume of plugin '" + there.plugin() + "'");
    } else if (!there.id().equals(wanted.id())) {
      throw otherwise(subject, wanted, "with id '" + there.id() + "'");
    } else if (!known.source().equals(other.source())) {
      throw otherwise(subject, wanted, "with another source");
    } else if (!known.parameters().equals(other.parameters())) {
      throw otherwise(subject, wanted, "with other parameters");
    } else if (known.ephemeral() != other.ephemeral()) {
      throw otherwise(
          subject, wanted, known.ephemeral() ? "as an ephemeral volume" : "as a persistent volume");
    }
  }

  private static ControllerException otherwise(
      Subject subject, CatalogVolume wanted, String difference) {
    return ControllerFailures.refused(
        OperatorCode.VOLUME_KNOWN_OTHERWISE,
        subject,
        "'" + wanted.key() + "' is recorded " + difference);
  }

  /** Registers a volume as described, once its plugin has confirmed it. */
  private CatalogVolume registered(Subject subject, VolumeWork work, CatalogEntry described) {
    CatalogEntry record = confirmed(subject, described);
    work.end(subject, record);
    return record.volume().orElseThrow();
  }

  /** Returns the record of an existing volume, once its plugin has confirmed it. */
  private CatalogEntry confirmed(Subject subject, CatalogEntry described) {
    CatalogVolume volume = described.volume().orElseThrow();
    if (!instances.mayHaveController(volume.plugin())) {
      return described;
    }
    ControllerFacts facts = controllers.abilities(volume.plugin(), subject);
    if (!facts.hasController()) {
      return described;
    }
    validate(subject, volume, facts);
    return decided(described.in(new State.Present(named(volume, facts))), subject, facts);
  }

  /** Returns the volume recorded with this key; empty if there is none. */
  private static Optional<CatalogVolume> known(
      Subject subject, VolumeWork work, CatalogVolume wanted) {
    return work.entry()
        .map(
            known ->
                known
                    .volume()
                    .filter(there -> isSame(there, wanted))
                    .orElseThrow(
                        () ->
                            ControllerFailures.refused(
                                OperatorCode.VOLUME_KNOWN_OTHERWISE,
                                subject,
                                "'" + wanted.key() + "' is recorded")));
  }

  /** Whether a volume was recorded by the same request, which may have omitted a context. */
  private static boolean isSame(CatalogVolume there, CatalogVolume wanted) {
    boolean isLeftOut =
        wanted.origin() == CatalogVolume.Origin.CREATED && wanted.context().isEmpty();
    return there.origin() == wanted.origin()
        && there.id().equals(wanted.id())
        && (isLeftOut || there.context().equals(wanted.context()))
        && there.spec().equals(wanted.spec());
  }

  private void validate(Subject subject, CatalogVolume wanted, ControllerFacts facts) {
    ValidationResult answer = controllers.answer(calls.validate(wanted, facts));
    List<Violation> differences =
        answer instanceof ValidationResult.Mismatch mismatch ? mismatch.differences() : List.of();
    String seen = differences.isEmpty() ? words(answer) : ControllerFailures.text(differences);
    if (!answer.isAcceptable(validation)) {
      throw new ControllerException(
          ChangeOutcome.REFUSED,
          Messages.of(OperatorCode.VOLUME_NOT_CONFIRMED, subject, seen),
          differences,
          null);
    }
    if (!(answer instanceof ValidationResult.Confirmed)) {
      told.accept(Messages.of(OperatorCode.VALIDATION_UNANSWERED, subject, seen));
    }
  }

  /** The plugin's message for people; no decision depends on it. */
  private static String words(ValidationResult answer) {
    return answer.message().isEmpty() ? "" : "the plugin says: \"" + answer.message() + "\"";
  }

  private static CatalogVolume named(CatalogVolume wanted, ControllerFacts facts) {
    CatalogVolume.Builder named = wanted.toBuilder();
    facts.name().ifPresent(named::provider);
    facts.version().ifPresent(named::providerVersion);
    return named.build();
  }

  // ---- new volumes

  /** Returns the volume with this key: the existing one, or a new one. */
  CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    Subject subject = Subject.of("creating volume '" + key + "'");
    return catalog.work(subject, key, work -> create(work, key, spec));
  }

  private CatalogVolume create(VolumeWork work, VolumeKey key, VolumeSpec spec) {
    CatalogEntry known = work.entry().orElse(null);
    if (known == null) {
      return ask(
          work,
          narrowed(
              new CatalogEntry(
                  key,
                  spec,
                  Optional.of(ClusterNames.volume(key, catalog.cluster())),
                  new State.Creating())),
          true);
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
      return askElsewhere(subject, work, known, spec);
    }
    if (!isSame) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_KNOWN_OTHERWISE,
          subject,
          known.state() instanceof State.Creating
              ? "it is already being created with another request; create that one, or delete it"
              : "");
    }
    return known.volume().orElseGet(() -> ask(work, known, false));
  }

  /** Whether two specs differ only in their topologies. */
  private static boolean isElsewhere(VolumeSpec known, VolumeSpec spec) {
    Optional<TopologyRequirement> places = known.topologies();
    return places.isPresent()
        && spec.topologies().isPresent()
        && known.equals(
            spec.toBuilder()
                .topologies(places.get())
                .mutableParameters(known.mutableParameters())
                .build());
  }

  /**
   * Requests a volume under the same name with other topologies, as the first ones may have no free
   * capacity. If nothing is created, the former request is recorded again, because it may have
   * created the volume.
   */
  private CatalogVolume askElsewhere(
      Subject subject, VolumeWork work, CatalogEntry known, VolumeSpec spec) {
    VolumeSpec moved = spec.toBuilder().mutableParameters(known.spec().mutableParameters()).build();
    CatalogEntry record = work.begin(subject, narrowed(known.as(moved).fromSnapshotIn(List.of())));
    try {
      return ask(work, record, false);
    } catch (ControllerException failed) {
      boolean isOpen = work.entry().filter(record::equals).isPresent();
      if (isOpen && isNotMade(failed)) {
        putBack(subject, work, known, failed);
      }
      throw failed;
    }
  }

  /**
   * Whether nothing was created: a topology without free capacity refuses before it creates
   * anything. An answer that is too large for this side has the same code, and an earlier attempt
   * of the same call may have created the volume.
   */
  private static boolean isNotMade(ControllerException failed) {
    return failed.outcome() == ChangeOutcome.REFUSED
        || failed.outcome() == ChangeOutcome.UNAVAILABLE
        || (failed.getCause() instanceof CsiException answer
            && answer.code() == StatusCode.RESOURCE_EXHAUSTED
            && answer.failure().answered()
            && answer.attempts() == 1);
  }

  private static void putBack(
      Subject subject, VolumeWork work, CatalogEntry known, ControllerException failed) {
    try {
      work.end(subject, known);
    } catch (ControllerException unwritten) {
      failed.addSuppressed(unwritten);
    }
  }

  /**
   * Requests the volume.
   *
   * @param isFirst whether this is the first request
   */
  private CatalogVolume ask(VolumeWork work, CatalogEntry begun, boolean isFirst) {
    Subject subject = ControllerCalls.about("creating", begun);
    ControllerFacts facts = controllers.abilities(begun.spec().plugin(), subject);
    CatalogEntry record = decided(begun, subject, facts);
    work.begin(subject, isFirst ? record : begun);
    Volume made;
    try {
      made = controllers.answer(work.guarded(calls.create(record, facts)));
    } catch (ControllerException failed) {
      Optional<VolumeId> unusable = VolumeDeletion.made(failed);
      if (unusable.isPresent()) {
        throw unusable(work, record, unusable.get(), failed);
      }
      if (isFirst && failed.outcome() != ChangeOutcome.UNCERTAIN) {
        var unused = work.remove(subject);
      }
      throw worded(record, failed);
    }
    return keep(work, record, made, facts);
  }

  /**
   * Returns the record with the topologies from which the source snapshot is usable, if topologies
   * are requested and the plugin can report them. They are kept for as long as the volume is
   * requested with the same topologies: the request under a name changes only together with them.
   */
  private CatalogEntry narrowed(CatalogEntry begun) {
    VolumeSpec spec = begun.spec();
    if (spec.topologies().isEmpty()
        || !(spec.source().orElse(null) instanceof VolumeContentSource.FromSnapshot from)) {
      return begun;
    }
    Subject subject = ControllerCalls.about("creating", begun);
    ControllerFacts facts = controllers.abilities(spec.plugin(), subject);
    boolean canSay =
        facts.placesSnapshots()
            && (facts.offers(ControllerCapability.GET_SNAPSHOT)
                || facts.offers(ControllerCapability.LIST_SNAPSHOTS));
    Optional<Snapshot> found =
        canSay ? find(calls.find(spec, from.snapshotId(), facts)) : Optional.empty();
    if (found.isEmpty()) {
      return begun;
    }
    Snapshot snapshot = found.get();
    List<Violation> wrong =
        spec.toBuilder().fromSnapshot(snapshot.id(), snapshot.accessibleTopology()).violations();
    if (!wrong.isEmpty()) {
      throw new ControllerException(
          ChangeOutcome.REFUSED,
          Messages.of(OperatorCode.VOLUME_REQUEST_REFUSED, subject, ControllerFailures.text(wrong)),
          wrong,
          null);
    }
    return begun.fromSnapshotIn(snapshot.accessibleTopology());
  }

  /** The volume's own request reports a missing snapshot; reading has no uncertain effects. */
  private Optional<Snapshot> find(ControllerCall<Optional<Snapshot>> call) {
    try {
      return controllers.answer(call);
    } catch (ControllerException failed) {
      if (failed.status().filter(StatusCode.NOT_FOUND::equals).isPresent()) {
        return Optional.empty();
      }
      throw failed.outcome() == ChangeOutcome.UNCERTAIN
          ? new ControllerException(
              ChangeOutcome.UNAVAILABLE, failed.operatorMessage(), failed.getCause())
          : failed;
    }
  }

  private CatalogVolume keep(
      VolumeWork work, CatalogEntry record, Volume made, ControllerFacts facts) {
    Subject subject = ControllerCalls.about("creating", record);
    catalog.refuseOther(record, made.id());
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
      work.end(subject, record.in(new State.Present(volume)));
    } catch (ControllerException failed) {
      if (failed.code() == OperatorCode.VOLUME_RECORD_FULL) {
        throw unusable(work, record, made.id(), failed);
      }
      // The volume exists, and the same request finds it again.
      throw new ControllerException(ChangeOutcome.UNCERTAIN, failed.operatorMessage(), failed);
    }
    return volume;
  }

  /** Deletes an unusable volume that was created; if that fails, its deletion stays pending. */
  private ControllerException unusable(
      VolumeWork work, CatalogEntry record, VolumeId made, ControllerException failed) {
    catalog.refuseOther(record, made);
    Subject subject = Subject.of("creating", new VolumeIdentity(record.spec().plugin(), made));
    CatalogEntry doomed =
        work.begin(subject, record.in(new State.Deleting(Optional.of(made), Optional.empty())));
    ControllerException told =
        new ControllerException(
            ChangeOutcome.REFUSED,
            Messages.of(
                OperatorCode.CONTROLLER_ANSWER_UNUSABLE,
                subject,
                failed.violations().isEmpty()
                    ? failed.operatorMessage().seen().text()
                    : ControllerFailures.text(failed.violations())),
            failed.violations(),
            failed.getCause());
    try {
      deletion.finish(work, doomed);
    } catch (ControllerException undone) {
      told.addSuppressed(undone);
    }
    return told;
  }

  /** Attributes the plugin's refusal to a source only if the volume has one. */
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
              "Correct the parameters, capabilities, size or topologies.");
      case NOT_FOUND ->
          ControllerFailures.reworded(
              subject,
              answer,
              "the request names something that the plugin does not know",
              "Check the names in the parameters and topologies.");
      case OUT_OF_RANGE ->
          ControllerFailures.reworded(
              subject, answer, "the requested size is not possible", "Change the capacity range.");
      default -> failed;
    };
  }

  /**
   * Returns the record of a new volume, with whether its plugin is sent an older access mode in
   * place of an unsupported one; this is reported once for each plugin.
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
                  + " is sent instead of "
                  + mode
                  + ", because the controller of the plugin does not offer"
                  + " SINGLE_NODE_MULTI_WRITER; this is reported once for each plugin"));
    }
    return record.underOlderModes();
  }
}
