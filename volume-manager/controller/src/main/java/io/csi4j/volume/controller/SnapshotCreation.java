package io.csi4j.volume.controller;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.internal.catalog.ClusterNames;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Creates snapshots, and drops those whose state is uncertain. While a snapshot is not ready, the
 * identical request is repeated: only then does the plugin report failures that happen meanwhile.
 *
 * <p>One operation at a time works on the snapshots of one name; it reads the record, calls the
 * plugin and writes the record in one turn. Otherwise, a call could create a snapshot again that
 * was dropped a moment before.
 */
final class SnapshotCreation {

  static final String CUTTING = "creating a snapshot of";

  private static final Backoff PAUSES =
      Backoff.exact(Duration.ofSeconds(1), Duration.ofSeconds(30));

  /** Refusals that are due to the caller's secrets or permissions, or to the call itself. */
  private static final Set<StatusCode> OF_CALLER =
      Set.of(StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED, StatusCode.UNIMPLEMENTED);

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final Clock clock;
  private final Scheduler timers;
  private final Duration patience;
  private final OperationTurns<VolumeLane> turns;

  /**
   * The requests whose record ends with their answer; if several are equal, with the last answer.
   */
  private final List<Wish<?>> waiting = new CopyOnWriteArrayList<>();

  /**
   * Cuts snapshots.
   *
   * @param turns the turns for the names of snapshots
   * @param patience the maximum time until a snapshot is ready
   */
  SnapshotCreation(
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      Clock clock,
      Scheduler timers,
      OperationTurns<VolumeLane> turns,
      Duration patience) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.clock = clock;
    this.timers = timers;
    this.turns = turns;
    this.patience = patience;
  }

  /**
   * A request for a snapshot or a group of snapshots.
   *
   * @param volumes the volumes
   * @param cut the recorded request
   * @param call the call that requests it
   * @param isReady whether an answer is ready to be the source of a volume
   * @param answer extracts the ids from an answer, for the record
   */
  private record Wish<T>(
      List<CatalogVolume> volumes,
      PendingSnapshot cut,
      ControllerCall<T> call,
      Predicate<T> isReady,
      Function<T, PendingSnapshot.Answer> answer) {

    /** Returns any of the volumes. */
    VolumeKey key() {
      return volumes.get(0).key();
    }

    /** Whether both wishes are for the same snapshot. */
    boolean isFor(Wish<?> other) {
      return key().equals(other.key()) && cut.asked().equals(other.cut.asked());
    }
  }

  private Wish<Snapshot> single(CatalogVolume volume, PendingSnapshot cut) {
    return new Wish<>(
        List.of(volume),
        cut,
        calls.cut(volume, cut),
        Snapshot::readyToUse,
        made -> new PendingSnapshot.Answer(Optional.empty(), Map.of(volume.id(), made.id())));
  }

  private Wish<VolumeGroupSnapshot> group(List<CatalogVolume> volumes, PendingSnapshot cut) {
    return new Wish<>(
        volumes,
        cut,
        calls.cut(volumes, cut),
        VolumeGroupSnapshot::readyToUse,
        SnapshotCreation::answer);
  }

  private static PendingSnapshot.Answer answer(VolumeGroupSnapshot made) {
    Map<VolumeId, SnapshotId> members = new LinkedHashMap<>();
    made.snapshots().forEach(each -> members.put(each.sourceVolumeId(), each.id()));
    return new PendingSnapshot.Answer(Optional.of(made.id()), members);
  }

  /**
   * Creates a snapshot that can be the source of a volume, in one of the places if some are given.
   */
  Snapshot create(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<TopologyRequirement> places) {
    return remembered(wish(catalog.volume(volume, CUTTING), name, parameters, places));
  }

  /**
   * Creates a snapshot and returns when it exists; it stays recorded until it is ready and
   * reported.
   */
  Snapshot cut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<TopologyRequirement> places) {
    return kept(wish(catalog.volume(volume, CUTTING), name, parameters, places));
  }

  private Wish<Snapshot> wish(
      CatalogVolume volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<TopologyRequirement> places) {
    Wish<Snapshot> wish =
        single(
            volume,
            named(
                volume.key(),
                new PendingSnapshot(
                    name.value(), new TreeMap<>(parameters), new TreeSet<>(), places)));
    places.ifPresent(asked -> refuseWherePluginChooses(wish.call(), asked));
    return wish;
  }

  private boolean placesSnapshots(ControllerCall<?> call) {
    return controllers.abilities(call.plugin(), call.subject()).placesSnapshots();
  }

  private void refuseWherePluginChooses(ControllerCall<?> call, TopologyRequirement asked) {
    if (!placesSnapshots(call)) {
      throw ControllerFailures.refused(
          OperatorCode.CONTROLLER_CALL_NOT_OFFERED,
          call.subject(),
          "it is requested in "
              + asked
              + ", but the plugin itself chooses where a snapshot is: it does not offer"
              + " SNAPSHOT_ACCESSIBILITY_CONSTRAINTS");
    }
  }

  /**
   * Creates snapshots of several volumes of one plugin, all of which can be the source of a volume.
   */
  VolumeGroupSnapshot create(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return remembered(wish(volumes, name, parameters));
  }

  /**
   * Creates such snapshots and returns when they exist; they stay recorded until they are ready and
   * reported.
   */
  VolumeGroupSnapshot cut(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return kept(wish(volumes, name, parameters));
  }

  private Wish<VolumeGroupSnapshot> wish(
      Set<VolumeKey> keys, SnapshotName name, Map<String, String> parameters) {
    List<CatalogVolume> volumes =
        keys.stream().sorted().map(key -> catalog.volume(key, CUTTING)).toList();
    if (volumes.stream().map(CatalogVolume::plugin).distinct().count() != 1) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_REQUEST_REFUSED,
          Subject.of("creating group snapshot '" + name + "'"),
          "its " + volumes.size() + " volumes belong to several plugins");
    }
    return group(
        volumes,
        named(
            volumes.get(0).key(),
            new PendingSnapshot(name.value(), new TreeMap<>(parameters), new TreeSet<>(keys))));
  }

  /**
   * Returns the request with the name for the plugin: the recorded one, as the plugin may already
   * have been called with it; otherwise a name of this cluster.
   */
  private PendingSnapshot named(VolumeKey key, PendingSnapshot cut) {
    return catalog
        .cluster()
        .map(
            cluster ->
                cut.sentAs(
                    catalog
                        .cuts(key, !cut.group().isEmpty())
                        .filter(each -> each.isNamedAs(cut))
                        .findFirst()
                        .map(PendingSnapshot::sentAs)
                        .orElseGet(() -> Optional.of(ClusterNames.snapshot(cut.name(), cluster)))))
        .orElse(cut);
  }

  /**
   * Waits until an existing snapshot can be the source of a volume; it stays recorded.
   *
   * @return empty if no snapshot of that name is recorded
   */
  Optional<Snapshot> ready(CatalogEntry record, SnapshotName name) {
    return named(record.key(), name, false)
        .findFirst()
        .map(cut -> single(record.volume().orElseThrow(), cut))
        .map(wish -> awaited(wish, again(wish, false)));
  }

  /**
   * Waits for a group in the same way.
   *
   * @param record any volume of the group
   */
  Optional<VolumeGroupSnapshot> readyGroup(CatalogEntry record, SnapshotName name) {
    return merged(named(record.key(), name, true)).stream()
        .findFirst()
        .map(cut -> group(allMembers(cut), cut))
        .map(wish -> awaited(wish, again(wish, false)));
  }

  /**
   * Removes a snapshot and a group of this name from the record, because the host keeps it.
   *
   * @param volume any volume of the group
   * @return whether one was recorded
   */
  boolean keep(VolumeKey volume, SnapshotName name) {
    Subject subject = Subject.of("keeping snapshot '" + name + "'");
    return ofSnapshot(volume, name, "keeping a snapshot of")
        .map(
            record ->
                inTurn(
                    record.spec().plugin(),
                    name.value(),
                    subject,
                    work -> {
                      boolean isKept = false;
                      for (PendingSnapshot cut : named(volume, name)) {
                        // Another control plane may have dropped it since.
                        isKept |= takeUp(work, subject, volume, cut);
                        end(work, subject, volume, cut);
                      }
                      return isKept;
                    }))
        .orElse(false);
  }

  /**
   * Returns the record of a volume whose snapshot may be recorded; if the volume itself has no
   * record any more, that of another volume of its group; empty if no snapshot of this name is
   * recorded.
   */
  private Optional<CatalogEntry> ofSnapshot(VolumeKey volume, SnapshotName name, String doing) {
    Optional<CatalogEntry> found = catalog.find(volume);
    if (found.flatMap(CatalogEntry::volume).isPresent()) {
      return found;
    }
    List<PendingSnapshot> all = named(volume, name);
    return found.isPresent() && !all.isEmpty()
        ? Optional.of(Catalog.there(found, volume, doing))
        : all.stream()
            .flatMap(cut -> cut.group().stream())
            .flatMap(key -> catalog.find(key).stream())
            .filter(record -> record.volume().isPresent())
            .findFirst();
  }

  /**
   * The snapshot and the groups of this name, with their answer if it is recorded with any of the
   * volumes.
   */
  private List<PendingSnapshot> named(VolumeKey volume, SnapshotName name) {
    return merged(Stream.concat(named(volume, name, false), named(volume, name, true)));
  }

  private static List<PendingSnapshot> merged(Stream<PendingSnapshot> found) {
    Map<PendingSnapshot, PendingSnapshot> all = new LinkedHashMap<>();
    found.forEach(each -> all.merge(each.asked(), each, (a, b) -> a.answer().isPresent() ? a : b));
    return List.copyOf(all.values());
  }

  private Stream<PendingSnapshot> named(VolumeKey volume, SnapshotName name, boolean isGroup) {
    return catalog.cuts(volume, isGroup).filter(each -> each.name().equals(name.value()));
  }

  private List<CatalogVolume> allMembers(PendingSnapshot cut) {
    List<CatalogVolume> members = members(cut);
    if (members.size() < cut.group().size()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_UNKNOWN,
          Subject.of("waiting for group snapshot '" + cut.name() + "'"),
          "of its "
              + cut.group().size()
              + " volumes only "
              + members.size()
              + " are recorded; drop the group, or keep it if the host has recorded it");
    }
    return members;
  }

  private List<CatalogVolume> members(PendingSnapshot cut) {
    return cut.group().stream()
        .flatMap(key -> catalog.find(key).flatMap(CatalogEntry::volume).stream())
        .toList();
  }

  /** Runs work while no other operation works on the snapshots of this name. */
  private <T> T inTurn(
      PluginId plugin, String name, Subject subject, Function<SnapshotWork, T> work) {
    Runnable leave =
        Controllers.ended(
            turns.<Runnable>take(
                new TreeSet<>(Set.of(VolumeLane.name(plugin, name))),
                subject,
                (giving, turn) -> turn.complete(giving)));
    try (SnapshotWork snapshots = catalog.snapshots()) {
      return work.apply(snapshots);
    } finally {
      leave.run();
    }
  }

  private <T> T inTurn(Wish<T> wish, Function<SnapshotWork, T> work) {
    return inTurn(wish.call().plugin(), wish.cut().name(), wish.call().subject(), work);
  }

  /** Records the request before it is sent to the storage system. */
  private static Optional<PendingSnapshot> begun(SnapshotWork work, Wish<?> wish) {
    Optional<PendingSnapshot> known = Optional.empty();
    List<VolumeKey> begun = new ArrayList<>();
    Subject subject = wish.call().subject();
    try {
      for (CatalogVolume volume : wish.volumes()) {
        Optional<PendingSnapshot> before = work.begin(subject, volume.key(), wish.cut().asked());
        if (before.isEmpty()) {
          begun.add(volume.key());
        } else if (known.flatMap(PendingSnapshot::answer).isEmpty()) {
          known = before;
        }
      }
      if (!wish.cut().group().isEmpty() && !begun.isEmpty()) {
        work.refuseOther(subject, wish.cut().asked());
      }
    } catch (ControllerException refused) {
      begun.forEach(key -> work.end(subject, key, wish.cut()));
      throw refused;
    }
    return known;
  }

  private <T> T remembered(Wish<T> wish) {
    waiting.add(wish);
    try {
      return awaited(wish, kept(wish));
    } finally {
      waiting.remove(wish);
    }
  }

  private <T> T kept(Wish<T> wish) {
    return inTurn(wish, work -> answered(work, wish, false));
  }

  /**
   * Sends a recorded request.
   *
   * @param isRepeat whether the plugin has answered it since this process started
   */
  private <T> T again(Wish<T> wish, boolean isRepeat) {
    return inTurn(
        wish,
        work -> {
          var unused = takeUp(work, wish.call().subject(), wish.key(), wish.cut());
          boolean isGroup = !wish.cut().group().isEmpty();
          if (catalog
              .cuts(wish.key(), isGroup)
              .noneMatch(it -> it.asked().equals(wish.cut().asked()))) {
            throw ControllerFailures.refused(
                OperatorCode.SNAPSHOT_UNKNOWN,
                wish.call().subject(),
                "it was kept, dropped or deleted meanwhile, or its volume was deregistered");
          }
          return answered(work, wish, isRepeat);
        });
  }

  private <T> T awaited(Wish<T> wish, T first) {
    long end = clock.nanos() + patience.toNanos();
    T seen = first;
    for (int looks = 1; !wish.isReady().test(seen); looks++) {
      Duration pause = PAUSES.pause(looks);
      if (clock.nanos() + pause.toNanos() - end > 0) {
        throw ControllerFailures.failed(
            ChangeOutcome.UNCERTAIN,
            OperatorCode.SNAPSHOT_NOT_READY,
            wish.call().subject(),
            "it has not become ready within " + patience.toSeconds() + " s",
            null);
      }
      pause(pause);
      seen = again(wish, true);
    }
    return seen;
  }

  /**
   * Sends the request once, and records the answer. A failed request without effect is removed from
   * the record. A snapshot that was created and whose repeated request the plugin refuses is
   * deleted, because it will never be ready.
   */
  private <T> T answered(SnapshotWork work, Wish<T> wish, boolean isRepeat) {
    Optional<PendingSnapshot> before = begun(work, wish);
    Optional<PendingSnapshot.Answer> known = before.flatMap(PendingSnapshot::answer);
    T seen;
    try {
      seen = controllers.answer(work.guarded(wish.call()));
    } catch (ControllerException failed) {
      if (before.isEmpty() && failed.outcome() != ChangeOutcome.UNCERTAIN) {
        forget(work, wish);
      } else if (isRepeat && isRefusedForGood(failed)) {
        known.ifPresent(cut -> delete(work, wish, cut, failed));
      }
      throw failed;
    }
    PendingSnapshot.Answer now = wish.answer().apply(seen);
    known.filter(cut -> !cut.equals(now)).ifPresent(lost -> refuse(work, wish, lost, now));
    boolean isLast =
        wish.isReady().test(seen)
            && waiting.remove(wish)
            && waiting.stream().noneMatch(wish::isFor);
    if (!isLast || !wish.cut().group().isEmpty()) {
      // The volumes of a group are removed from the record one by one; after a crash in between,
      // the ids are
      // still recorded.
      note(work, wish, now);
    }
    if (isLast) {
      forget(work, wish);
    }
    return seen;
  }

  /**
   * Whether the plugin has refused a snapshot for good. After a refusal on this side, or one due to
   * the caller or the call itself, the snapshot may still become ready.
   */
  private static boolean isRefusedForGood(ControllerException failed) {
    return failed.outcome() == ChangeOutcome.REFUSED
        && failed.getCause() instanceof CsiException answer
        && answer.attempts() > 0
        && !OF_CALLER.contains(answer.code());
  }

  /**
   * Rejects a snapshot that differs from the one created under the name before: that one is gone,
   * and the plugin has only now created this one.
   */
  private void refuse(
      SnapshotWork work, Wish<?> wish, PendingSnapshot.Answer before, PendingSnapshot.Answer now) {
    ControllerException lost =
        ControllerFailures.refused(
            OperatorCode.SNAPSHOT_LOST,
            wish.call().subject(),
            "it was created as "
                + before.snapshots().values()
                + ", but the plugin has just created "
                + now.snapshots().values());
    delete(work, wish, now, lost);
    throw lost;
  }

  /** Deletes a snapshot that will not be used. It stays recorded if that fails. */
  private void delete(
      SnapshotWork work, Wish<?> wish, PendingSnapshot.Answer cut, ControllerException why) {
    try {
      controllers.answer(work.guarded(deleting(wish, cut)));
      forget(work, wish);
    } catch (ControllerException left) {
      why.addSuppressed(left);
    }
  }

  private static void note(SnapshotWork work, Wish<?> wish, PendingSnapshot.Answer answer) {
    PendingSnapshot cut = wish.cut().answered(answer);
    wish.volumes().forEach(volume -> work.answered(wish.call().subject(), volume.key(), cut));
  }

  private static void forget(SnapshotWork work, Wish<?> wish) {
    end(work, wish.call().subject(), wish.key(), wish.cut());
  }

  /**
   * Removes a snapshot or a group from the record.
   *
   * @param key the volume, or any volume of the group
   */
  private static void end(SnapshotWork work, Subject subject, VolumeKey key, PendingSnapshot cut) {
    keys(key, cut).forEach(each -> work.end(subject, each, cut));
  }

  /**
   * Takes ownership of a recorded snapshot or group, with all volumes that record it. Returns
   * whether any of them still recorded it.
   */
  private boolean takeUp(SnapshotWork work, Subject subject, VolumeKey key, PendingSnapshot cut) {
    boolean isTaken = false;
    for (VolumeKey each : keys(key, cut)) {
      isTaken |=
          catalog.find(each).flatMap(record -> record.cut(cut)).isPresent()
              && work.takeUp(subject, each, cut);
    }
    return isTaken;
  }

  private static Set<VolumeKey> keys(VolumeKey key, PendingSnapshot cut) {
    return cut.group().isEmpty() ? Set.of(key) : cut.group();
  }

  private void pause(Duration time) {
    CompletableFuture<Done> over = new CompletableFuture<>();
    Scheduler.Timer timer = timers.after(time, () -> over.complete(Done.DONE));
    try {
      over.join();
    } finally {
      timer.cancel();
    }
  }

  /**
   * Deletes a requested snapshot that may exist. The same request finds or creates it, because only
   * its answer contains the id.
   *
   * @return whether a snapshot of that name was requested
   */
  boolean drop(VolumeKey volume, SnapshotName name) {
    return ofSnapshot(volume, name, "dropping a snapshot of")
        .map(record -> drop(record, volume, name))
        .orElse(false);
  }

  private boolean drop(CatalogEntry record, VolumeKey volume, SnapshotName name) {
    Subject subject = Subject.of("dropping snapshot '" + name + "'");
    return inTurn(
        record.spec().plugin(),
        name.value(),
        subject,
        work -> {
          List<PendingSnapshot> taken =
              named(volume, name).stream()
                  .filter(cut -> takeUp(work, subject, volume, cut))
                  .map(PendingSnapshot::asked)
                  .toList();
          // Another control plane may have recorded an answer before the ownership was taken. A
          // request that it has begun since then is its own work.
          List<PendingSnapshot> all =
              named(volume, name).stream().filter(cut -> taken.contains(cut.asked())).toList();
          for (PendingSnapshot cut : all) {
            if (cut.group().isEmpty()) {
              delete(work, sendable(record.volume().orElseThrow(), cut));
            } else {
              deleteGroup(work, group(members(cut), cut));
            }
            end(work, subject, volume, cut);
          }
          return !all.isEmpty();
        });
  }

  /**
   * A volume of a group cannot be deleted while the group is recorded with it, and the answer is
   * recorded with all volumes before the group is returned. So if a volume was deleted and there is
   * no answer, the plugin was never called for the group: there is nothing to delete.
   */
  private void deleteGroup(SnapshotWork work, Wish<VolumeGroupSnapshot> wish) {
    boolean isComplete = wish.volumes().size() == wish.cut().group().size();
    if (isComplete || wish.cut().answer().isPresent()) {
      delete(work, wish);
    }
  }

  /**
   * Returns the request for a snapshot, without its topologies if the plugin no longer accepts any.
   */
  private Wish<Snapshot> sendable(CatalogVolume volume, PendingSnapshot cut) {
    Wish<Snapshot> wish = single(volume, cut);
    return cut.places().isEmpty() || placesSnapshots(wish.call())
        ? wish
        : single(
            volume,
            new PendingSnapshot(
                cut.name(),
                cut.sentAs(),
                cut.parameters(),
                cut.group(),
                Optional.empty(),
                cut.answer()));
  }

  private <T> void delete(SnapshotWork work, Wish<T> wish) {
    PendingSnapshot.Answer known = wish.cut().answer().orElseGet(() -> learn(work, wish));
    controllers.answer(work.guarded(deleting(wish, known)));
  }

  private <T> PendingSnapshot.Answer learn(SnapshotWork work, Wish<T> wish) {
    try {
      return wish.answer().apply(controllers.answer(work.guarded(wish.call())));
    } catch (ControllerException failed) {
      return made(wish, failed).orElseThrow(() -> failed);
    }
  }

  /**
   * The id of a snapshot in an answer that is otherwise unusable. The id of a group alone is not
   * enough to delete it.
   */
  private static Optional<PendingSnapshot.Answer> made(Wish<?> wish, ControllerException failed) {
    return wish.cut().group().isEmpty() && failed.getCause() instanceof CsiAnswerException answer
        ? answer
            .created()
            .map(SnapshotId::of)
            .map(
                id ->
                    new PendingSnapshot.Answer(
                        Optional.empty(), Map.of(wish.volumes().get(0).id(), id)))
        : Optional.empty();
  }

  /** Deletes a snapshot that belongs to no group and is not recorded. */
  void delete(
      PluginId plugin,
      SnapshotId snapshot,
      Optional<GroupSnapshotId> group,
      Optional<SecretsReference> secrets) {
    if (group.isPresent()) {
      throw ControllerFailures.refused(
          OperatorCode.SNAPSHOT_IN_GROUP,
          ControllerCalls.about("deleting snapshot", snapshot.value(), plugin),
          "it belongs to group '" + group.get() + "'");
    }
    catalog.refuseCopy(ControllerCalls.about("deleting snapshot", snapshot.value(), plugin));
    controllers.answer(calls.delete(plugin, snapshot, secrets));
  }

  /** Deletes an unrecorded group with all its snapshots. */
  void delete(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    catalog.refuseCopy(ControllerCalls.about("deleting group", group.value(), plugin));
    controllers.answer(calls.delete(plugin, group, members, secrets));
  }

  private ControllerCall<Done> deleting(Wish<?> wish, PendingSnapshot.Answer known) {
    VolumeSpec spec = wish.volumes().get(0).spec();
    List<SnapshotId> ids = List.copyOf(known.snapshots().values());
    return known
        .group()
        .map(group -> calls.delete(spec.plugin(), group, ids, spec.secrets()))
        .orElseGet(() -> calls.delete(spec.plugin(), ids.get(0), spec.secrets()));
  }
}
