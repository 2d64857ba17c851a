package io.csi4j.volume.controller;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.Cut;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Cuts snapshots and deletes them. A snapshot that is cut and not ready is asked for again, in just
 * the same way, until it is: only so the plugin tells what goes wrong meanwhile.
 */
final class SnapshotCreation {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Catalog catalog;
  private final Controllers controllers;
  private final VolumeCalls calls;
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
      VolumeCalls calls,
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

  /** A snapshot that a volume can be made of. */
  Snapshot cut(CatalogVolume volume, SnapshotName name, Map<String, String> parameters) {
    SecretsProvider secrets = calls.secretsOf(volume.spec());
    return remembered(
        List.of(volume),
        new Cut(name.value(), new TreeMap<>(parameters), new TreeSet<>()),
        SnapshotCalls.cut(volume, name, parameters, secrets),
        Snapshot::readyToUse,
        broken -> ControllerCalls.delete(volume.plugin(), broken.id(), secrets));
  }

  /** Snapshots of several volumes of one plugin, all of which a volume can be made of. */
  VolumeGroupSnapshot cut(
      List<CatalogVolume> volumes, SnapshotName name, Map<String, String> parameters) {
    return remembered(
        volumes,
        new Cut(
            name.value(),
            new TreeMap<>(parameters),
            volumes.stream()
                .map(CatalogVolume::key)
                .collect(Collectors.toCollection(TreeSet::new))),
        SnapshotCalls.cut(volumes, name, parameters, secrets(volumes)),
        VolumeGroupSnapshot::readyToUse,
        broken -> deleting(volumes, broken));
  }

  private SecretsProvider secrets(List<CatalogVolume> volumes) {
    return calls.secretsOf(volumes.get(0).spec());
  }

  private ControllerCall<Done> deleting(List<CatalogVolume> volumes, VolumeGroupSnapshot group) {
    return SnapshotCalls.delete(
        volumes.get(0).plugin(),
        group.id(),
        group.snapshots().stream().map(Snapshot::id).toList(),
        secrets(volumes));
  }

  /** Records what is asked for before the storage system hears of it. */
  private <T> T remembered(
      List<CatalogVolume> volumes,
      Cut cut,
      ControllerCall<T> call,
      Predicate<T> isReady,
      Function<T, ControllerCall<Done>> deleting) {
    boolean isFirst = true;
    for (CatalogVolume volume : volumes) {
      isFirst &= catalog.begin(call.subject(), volume.key(), cut);
    }
    Doubt doubt = new Doubt(!isFirst);
    T seen;
    try {
      seen = ready(call, isReady, deleting, doubt);
    } catch (ControllerException failed) {
      if (!doubt.mayBeThere) {
        forget(volumes, cut, call);
      }
      throw failed;
    }
    forget(volumes, cut, call);
    return seen;
  }

  private void forget(List<CatalogVolume> volumes, Cut cut, ControllerCall<?> call) {
    volumes.forEach(volume -> catalog.end(call.subject(), volume.key(), cut));
  }

  /** Whether a snapshot may be there of which no caller was told. */
  private static final class Doubt {
    private boolean mayBeThere;

    Doubt(boolean mayBeThere) {
      this.mayBeThere = mayBeThere;
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
      if (cut.group().isEmpty()) {
        CatalogVolume volume = record.volume().orElseThrow();
        SecretsProvider secrets = calls.secretsOf(volume.spec());
        drop(
            List.of(volume),
            cut,
            SnapshotCalls.cut(volume, name, cut.parameters(), secrets),
            found -> ControllerCalls.delete(volume.plugin(), found.id(), secrets));
      } else {
        List<CatalogVolume> volumes =
            cut.group().stream()
                .flatMap(key -> catalog.find(key).flatMap(CatalogEntry::volume).stream())
                .toList();
        drop(
            volumes,
            cut,
            SnapshotCalls.cut(volumes, name, cut.parameters(), secrets(volumes)),
            found -> deleting(volumes, found));
      }
    }
    return !all.isEmpty();
  }

  private <T> void drop(
      List<CatalogVolume> volumes,
      Cut cut,
      ControllerCall<T> call,
      Function<T, ControllerCall<Done>> deleting) {
    Done gone = StepWait.on(controllers.call(deleting.apply(StepWait.on(controllers.call(call)))));
    assert gone == Done.DONE;
    forget(volumes, cut, call);
  }

  private <T> T ready(
      ControllerCall<T> call,
      Predicate<T> isReady,
      Function<T, ControllerCall<Done>> deleting,
      Doubt doubt) {
    long end = clock.nanos() + patience.toNanos();
    Duration pause = FIRST_PAUSE;
    Optional<T> before = Optional.empty();
    while (true) {
      T seen = again(call, before, deleting, doubt);
      doubt.mayBeThere = true;
      if (isReady.test(seen)) {
        return seen;
      }
      before = Optional.of(seen);
      if (clock.nanos() + pause.toNanos() - end > 0) {
        throw new ControllerException(
            Outcome.UNCERTAIN,
            Messages.of(
                OperatorCode.SNAPSHOT_NOT_READY,
                call.subject(),
                "it has not become ready within " + patience.toSeconds() + " s"),
            null);
      }
      pause(pause);
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
  }

  /** Asks once more. What was cut and then refused is deleted: it will never be ready. */
  private <T> T again(
      ControllerCall<T> call,
      Optional<T> before,
      Function<T, ControllerCall<Done>> deleting,
      Doubt doubt) {
    try {
      return StepWait.on(controllers.call(call));
    } catch (ControllerException failed) {
      doubt.mayBeThere |= failed.outcome() == Outcome.UNCERTAIN;
      if (before.isPresent() && failed.outcome() == Outcome.REFUSED) {
        try {
          Done gone = StepWait.on(controllers.call(deleting.apply(before.get())));
          doubt.mayBeThere = gone != Done.DONE;
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

  /** Deletes a snapshot that belongs to no group, as far as that is known. */
  public Done delete(
      PluginId plugin,
      SnapshotId snapshot,
      Optional<GroupSnapshotId> group,
      Optional<SecretsReference> reference) {
    if (group.isPresent()) {
      throw ControllerFailures.refused(
          OperatorCode.SNAPSHOT_IN_GROUP,
          ControllerCalls.about("deleting snapshot", snapshot.value(), plugin),
          "it belongs to group '" + group.get() + "'");
    }
    return StepWait.on(
        controllers.call(ControllerCalls.delete(plugin, snapshot, calls.secretsOf(reference))));
  }

  public Done delete(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> reference) {
    return StepWait.on(
        controllers.call(SnapshotCalls.delete(plugin, group, members, calls.secretsOf(reference))));
  }
}
