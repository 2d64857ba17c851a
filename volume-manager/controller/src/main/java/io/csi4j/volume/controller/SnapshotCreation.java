package io.csi4j.volume.controller;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.Cut;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.RequestedTopologies;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;

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
   * @param mayBeThere whether one may be there of which no caller was told
   */
  private record Wish<T>(
      List<CatalogVolume> volumes,
      Cut cut,
      ControllerCall<T> call,
      Predicate<T> isReady,
      Function<T, ControllerCall<Done>> deleting,
      AtomicBoolean mayBeThere) {}

  private Wish<Snapshot> single(CatalogVolume volume, Cut cut) {
    return new Wish<>(
        List.of(volume),
        cut,
        calls.cut(volume, cut),
        Snapshot::readyToUse,
        made -> calls.delete(volume.plugin(), made.id(), volume.spec().secrets()),
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
        new AtomicBoolean());
  }

  /** A snapshot that a volume can be made of, in one of the places if some are named. */
  Snapshot cut(
      CatalogVolume volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<RequestedTopologies> places) {
    Wish<Snapshot> wish =
        single(volume, new Cut(name.value(), new TreeMap<>(parameters), new TreeSet<>(), places));
    places.ifPresent(asked -> refuseWherePluginChooses(wish.call(), asked));
    return remembered(wish);
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
  VolumeGroupSnapshot cut(
      List<CatalogVolume> volumes, SnapshotName name, Map<String, String> parameters) {
    return remembered(
        group(
            volumes,
            new Cut(
                name.value(),
                new TreeMap<>(parameters),
                new TreeSet<>(volumes.stream().map(CatalogVolume::key).toList()))));
  }

  /** Records what is asked for before the storage system hears of it. */
  private <T> T remembered(Wish<T> wish) {
    for (CatalogVolume volume : wish.volumes()) {
      if (!catalog.begin(wish.call().subject(), volume.key(), wish.cut())) {
        wish.mayBeThere().set(true);
      }
    }
    T seen;
    try {
      seen = ready(wish);
    } catch (ControllerException failed) {
      if (!wish.mayBeThere().get()) {
        forget(wish);
      }
      throw failed;
    }
    forget(wish);
    return seen;
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
      return controllers.answer(wish.call());
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
    List<Cut> all =
        record.cuts().stream().filter(each -> each.name().equals(name.value())).toList();
    for (Cut cut : all) {
      Wish<?> wish =
          cut.group().isEmpty()
              ? sendable(record.volume().orElseThrow(), cut)
              : group(
                  cut.group().stream()
                      .flatMap(key -> catalog.find(key).flatMap(CatalogEntry::volume).stream())
                      .toList(),
                  cut);
      drop(wish);
    }
    return !all.isEmpty();
  }

  /** Returns the request for a snapshot, without its place if the plugin takes none any more. */
  private Wish<Snapshot> sendable(CatalogVolume volume, Cut cut) {
    Wish<Snapshot> wish = single(volume, cut);
    return cut.places().isEmpty() || placesSnapshots(wish.call())
        ? wish
        : single(volume, new Cut(cut.name(), cut.parameters(), cut.group()));
  }

  private <T> void drop(Wish<T> wish) {
    controllers.answer(wish.deleting().apply(controllers.answer(wish.call())));
    forget(wish);
  }
}
