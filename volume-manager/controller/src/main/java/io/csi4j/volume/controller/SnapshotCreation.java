package io.csi4j.volume.controller;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.Cut;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.RequestedTopologies;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Cuts snapshots, and drops those whose fate is not known. A snapshot that is cut and not ready is
 * asked for again, in just the same way, until it is: only so the plugin tells what goes wrong
 * meanwhile.
 */
final class SnapshotCreation {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final Clock clock;
  private final Scheduler timers;
  private final Duration patience;

  /**
   * Cuts snapshots.
   *
   * @param patience how long one may take until it is ready
   */
  SnapshotCreation(
      Catalog catalog,
      Controllers controllers,
      ControllerCalls calls,
      Clock clock,
      Scheduler timers,
      Duration patience) {
    this.catalog = catalog;
    this.controllers = controllers;
    this.calls = calls;
    this.clock = clock;
    this.timers = timers;
    this.patience = patience;
  }

  /**
   * A snapshot, or a group of them, that is asked for.
   *
   * @param volumes of which volumes
   * @param cut what is on record of it
   * @param call asks for it
   * @param isReady whether a volume can be made of what was answered
   * @param deleting deletes what was answered
   * @param answer the ids in an answer, for the record
   * @param mayBeThere whether one may be there of which no caller was told
   */
  private record Wish<T>(
      List<CatalogVolume> volumes,
      Cut cut,
      ControllerCall<T> call,
      Predicate<T> isReady,
      Function<T, ControllerCall<Done>> deleting,
      Function<T, Cut.Answer> answer,
      AtomicBoolean mayBeThere) {}

  private Wish<Snapshot> single(CatalogVolume volume, Cut cut) {
    return new Wish<>(
        List.of(volume),
        cut,
        calls.cut(volume, cut),
        Snapshot::readyToUse,
        made -> calls.delete(volume.plugin(), made.id(), volume.spec().secrets()),
        made -> new Cut.Answer(Optional.empty(), Map.of(volume.id(), made.id())),
        new AtomicBoolean());
  }

  private Wish<VolumeGroupSnapshot> group(List<CatalogVolume> volumes, Cut cut) {
    VolumeSpec first = volumes.get(0).spec();
    return new Wish<>(
        volumes,
        cut,
        calls.cut(volumes, cut.name(), cut.parameters()),
        VolumeGroupSnapshot::readyToUse,
        made ->
            calls.delete(
                first.plugin(),
                made.id(),
                made.snapshots().stream().map(Snapshot::id).toList(),
                first.secrets()),
        SnapshotCreation::answer,
        new AtomicBoolean());
  }

  private static Cut.Answer answer(VolumeGroupSnapshot made) {
    Map<VolumeId, SnapshotId> members = new LinkedHashMap<>();
    made.snapshots().forEach(each -> members.put(each.sourceVolumeId(), each.id()));
    return new Cut.Answer(Optional.of(made.id()), members);
  }

  /** A snapshot that a volume can be made of, in one of the places if some are named. */
  Snapshot create(
      CatalogVolume volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<RequestedTopologies> places) {
    return remembered(wish(volume, name, parameters, places));
  }

  /** The same as soon as it is cut; it stays on record until it is ready and told. */
  Snapshot cut(
      CatalogVolume volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<RequestedTopologies> places) {
    return kept(wish(volume, name, parameters, places));
  }

  private Wish<Snapshot> wish(
      CatalogVolume volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<RequestedTopologies> places) {
    Wish<Snapshot> wish =
        single(
            volume,
            new Cut(
                name.value(),
                new TreeMap<>(parameters),
                new TreeSet<>(),
                places,
                Optional.empty()));
    places.ifPresent(asked -> refuseWherePluginChooses(wish.call(), asked));
    return wish;
  }

  private boolean placesSnapshots(ControllerCall<?> call) {
    return Controllers.ended(controllers.facts(call.plugin(), call.subject())).placesSnapshots();
  }

  private void refuseWherePluginChooses(ControllerCall<?> call, RequestedTopologies asked) {
    if (!placesSnapshots(call)) {
      throw ControllerFailures.refused(
          OperatorCode.CONTROLLER_CALL_NOT_OFFERED,
          call.subject(),
          "it is asked for in "
              + asked.requirement()
              + ", and the plugin chooses the place of a snapshot itself: it does not offer"
              + " SNAPSHOT_ACCESSIBILITY_CONSTRAINTS");
    }
  }

  /** Snapshots of several volumes of one plugin, all of which a volume can be made of. */
  VolumeGroupSnapshot create(
      List<CatalogVolume> volumes, SnapshotName name, Map<String, String> parameters) {
    return remembered(wish(volumes, name, parameters));
  }

  /** The same as soon as they are cut; they stay on record until they are ready and told. */
  VolumeGroupSnapshot cut(
      List<CatalogVolume> volumes, SnapshotName name, Map<String, String> parameters) {
    return kept(wish(volumes, name, parameters));
  }

  private Wish<VolumeGroupSnapshot> wish(
      List<CatalogVolume> volumes, SnapshotName name, Map<String, String> parameters) {
    return group(
        volumes,
        new Cut(
            name.value(),
            new TreeMap<>(parameters),
            new TreeSet<>(volumes.stream().map(CatalogVolume::key).toList())));
  }

  /** The same volumes, which are of one plugin. */
  static List<CatalogVolume> ofOnePlugin(List<CatalogVolume> volumes, String doing) {
    if (volumes.stream().map(CatalogVolume::plugin).distinct().count() != 1) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_REQUEST_REFUSED,
          Subject.of(doing),
          "its " + volumes.size() + " volumes are not all of one plugin");
    }
    return volumes;
  }

  /**
   * A snapshot that was cut before, once a volume can be made of it; it stays on record.
   *
   * @return nothing if none of that name is on record
   */
  Optional<Snapshot> ready(CatalogEntry record, SnapshotName name) {
    return onRecord(record, name, false)
        .map(cut -> awaited(single(record.volume().orElseThrow(), cut)));
  }

  /**
   * The same of a group.
   *
   * @param record any volume of the group
   */
  Optional<VolumeGroupSnapshot> readyGroup(CatalogEntry record, SnapshotName name) {
    return onRecord(record, name, true).map(cut -> awaited(group(allMembers(cut), cut)));
  }

  private <T> T awaited(Wish<T> asked) {
    Wish<T> wish = begun(asked);
    T seen = orForgotten(wish, () -> ready(wish));
    note(wish, seen);
    return seen;
  }

  /**
   * Takes a snapshot, and a group, of this name off the record: its host keeps it.
   *
   * @param record any volume of the group
   * @return whether one was on record
   */
  boolean keep(CatalogEntry record, SnapshotName name) {
    List<Cut> all = named(record, name);
    for (Cut cut : all) {
      Set<VolumeKey> keys = cut.group().isEmpty() ? Set.of(record.key()) : cut.group();
      Subject subject = Subject.of("keeping snapshot '" + name + "'");
      keys.forEach(key -> catalog.end(subject, key, cut));
    }
    return !all.isEmpty();
  }

  /**
   * The snapshot and the groups of this name. A group is found by any of its volumes, also where a
   * crash has left it on record with others only; with its answer, if one of them has that.
   */
  private List<Cut> named(CatalogEntry record, SnapshotName name) {
    Map<Cut, Cut> all = new LinkedHashMap<>();
    Stream.concat(
            record.cuts().stream(),
            catalog.all().stream()
                .flatMap(each -> each.cuts().stream())
                .filter(each -> each.group().contains(record.key())))
        .filter(each -> each.name().equals(name.value()))
        .forEach(each -> all.merge(each.asked(), each, (a, b) -> a.answer().isPresent() ? a : b));
    return List.copyOf(all.values());
  }

  private Optional<Cut> onRecord(CatalogEntry record, SnapshotName name, boolean isGroup) {
    return named(record, name).stream()
        .filter(each -> each.group().isEmpty() != isGroup)
        .findFirst();
  }

  private List<CatalogVolume> allMembers(Cut cut) {
    List<CatalogVolume> members = members(cut);
    if (members.size() < cut.group().size()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_UNKNOWN,
          Subject.of("waiting for group snapshot '" + cut.name() + "'"),
          "of its "
              + cut.group().size()
              + " volumes only "
              + members.size()
              + " are there; drop the group, or keep it if it is noted");
    }
    return members;
  }

  private List<CatalogVolume> members(Cut cut) {
    return cut.group().stream()
        .flatMap(key -> catalog.find(key).flatMap(CatalogEntry::volume).stream())
        .toList();
  }

  /** Records what is asked for before the storage system hears of it. */
  private <T> Wish<T> begun(Wish<T> wish) {
    Cut cut = wish.cut();
    List<VolumeKey> begun = new ArrayList<>();
    for (CatalogVolume volume : wish.volumes()) {
      Optional<Cut> before;
      try {
        before = catalog.begin(wish.call().subject(), volume.key(), cut.asked());
      } catch (ControllerException refused) {
        begun.forEach(key -> catalog.end(wish.call().subject(), key, wish.cut()));
        throw refused;
      }
      if (before.isPresent()) {
        wish.mayBeThere().set(true);
        cut = before.get().answer().isPresent() ? before.get() : cut;
      } else {
        begun.add(volume.key());
      }
    }
    return new Wish<>(
        wish.volumes(),
        cut,
        wish.call(),
        wish.isReady(),
        wish.deleting(),
        wish.answer(),
        wish.mayBeThere());
  }

  private <T> T remembered(Wish<T> asked) {
    Wish<T> wish = begun(asked);
    T seen = orForgotten(wish, () -> ready(wish));
    forget(wish);
    return seen;
  }

  private <T> T kept(Wish<T> asked) {
    Wish<T> wish = begun(asked);
    T seen = orForgotten(wish, () -> again(wish, Optional.empty()));
    note(wish, seen);
    return seen;
  }

  private <T> void note(Wish<T> wish, T seen) {
    Cut cut = wish.cut().answered(wish.answer().apply(seen));
    wish.volumes().forEach(volume -> catalog.answered(wish.call().subject(), volume.key(), cut));
  }

  /** What failed and surely is not there is not on record any more. */
  private <T> T orForgotten(Wish<T> wish, Supplier<T> work) {
    try {
      return work.get();
    } catch (ControllerException failed) {
      if (!wish.mayBeThere().get()) {
        forget(wish);
      }
      throw failed;
    }
  }

  private void forget(Wish<?> wish) {
    wish.volumes().forEach(volume -> catalog.end(wish.call().subject(), volume.key(), wish.cut()));
  }

  private <T> T ready(Wish<T> wish) {
    long end = clock.nanos() + patience.toNanos();
    Duration pause = FIRST_PAUSE;
    Optional<T> before = Optional.empty();
    while (true) {
      T seen = again(wish, before);
      wish.mayBeThere().set(true);
      if (wish.isReady().test(seen)) {
        return seen;
      }
      before = Optional.of(seen);
      if (clock.nanos() + pause.toNanos() - end > 0) {
        throw ControllerFailures.failed(
            Outcome.UNCERTAIN,
            OperatorCode.SNAPSHOT_NOT_READY,
            wish.call().subject(),
            "it has not become ready within " + patience.toSeconds() + " s",
            null);
      }
      pause(pause);
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
  }

  /** Asks once more. What was cut and then refused is deleted: it will never be ready. */
  private <T> T again(Wish<T> wish, Optional<T> before) {
    try {
      return asCut(wish, controllers.answer(wish.call()));
    } catch (ControllerException failed) {
      if (failed.outcome() == Outcome.UNCERTAIN) {
        wish.mayBeThere().set(true);
      }
      if (before.isPresent() && failed.outcome() == Outcome.REFUSED) {
        try {
          controllers.answer(wish.deleting().apply(before.get()));
          wish.mayBeThere().set(false);
        } catch (ControllerException left) {
          failed.addSuppressed(left);
        }
      }
      throw failed;
    }
  }

  /**
   * Refuses a snapshot that is another one than was cut under the name before: that one is gone,
   * and the plugin made this one only now.
   */
  private <T> T asCut(Wish<T> wish, T seen) {
    Optional<Cut.Answer> before = wish.cut().answer();
    Cut.Answer now = wish.answer().apply(seen);
    if (before.isEmpty() || before.get().equals(now)) {
      return seen;
    }
    ControllerException lost =
        ControllerFailures.refused(
            OperatorCode.SNAPSHOT_LOST,
            wish.call().subject(),
            "it was cut as "
                + before.get().snapshots().values()
                + ", and the plugin has just made "
                + now.snapshots().values());
    wish.mayBeThere().set(true);
    try {
      controllers.answer(wish.deleting().apply(seen));
      wish.mayBeThere().set(false);
    } catch (ControllerException left) {
      lost.addSuppressed(left);
    }
    throw lost;
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
   * Deletes a snapshot that was asked for, and may be there: the same request finds it, or makes
   * it, for only so it has an id.
   *
   * @return whether one was asked for
   */
  boolean drop(CatalogEntry record, SnapshotName name) {
    List<Cut> all = named(record, name);
    for (Cut cut : all) {
      if (cut.group().isEmpty()) {
        drop(sendable(record.volume().orElseThrow(), cut));
      } else {
        dropGroup(group(members(cut), cut));
      }
    }
    return !all.isEmpty();
  }

  /**
   * A volume of a group cannot be deleted while the group is on record with it. So if one is gone,
   * the plugin was never asked for the group, or what came of it has been told: without an answer
   * there is nothing to delete.
   */
  private void dropGroup(Wish<VolumeGroupSnapshot> wish) {
    boolean isComplete = wish.volumes().size() == wish.cut().group().size();
    if (isComplete || wish.cut().answer().isPresent()) {
      drop(wish);
    } else {
      forget(wish);
    }
  }

  /** Returns the request for a snapshot, without its place if the plugin takes none any more. */
  private Wish<Snapshot> sendable(CatalogVolume volume, Cut cut) {
    Wish<Snapshot> wish = single(volume, cut);
    return cut.places().isEmpty() || placesSnapshots(wish.call())
        ? wish
        : single(
            volume,
            new Cut(cut.name(), cut.parameters(), cut.group(), Optional.empty(), cut.answer()));
  }

  private <T> void drop(Wish<T> wish) {
    Optional<Cut.Answer> known = wish.cut().answer();
    controllers.answer(
        known.isPresent()
            ? deleting(wish.volumes().get(0).spec(), known.get())
            : wish.deleting().apply(controllers.answer(wish.call())));
    forget(wish);
  }

  private ControllerCall<Done> deleting(VolumeSpec spec, Cut.Answer known) {
    List<SnapshotId> ids = List.copyOf(known.snapshots().values());
    return known
        .group()
        .map(group -> calls.delete(spec.plugin(), group, ids, spec.secrets()))
        .orElseGet(() -> calls.delete(spec.plugin(), ids.get(0), spec.secrets()));
  }
}
