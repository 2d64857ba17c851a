package io.csi4j.volume.controller;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
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
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Cuts snapshots and deletes them. A snapshot that is cut and not ready is asked for again, in just
 * the same way, until it is: only so the plugin tells what goes wrong meanwhile.
 */
final class SnapshotCreation {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

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
      Controllers controllers,
      VolumeCalls calls,
      Clock clock,
      Scheduler timers,
      Duration patience) {
    this.controllers = controllers;
    this.calls = calls;
    this.clock = clock;
    this.timers = timers;
    this.patience = patience;
  }

  /** A snapshot that a volume can be made of. */
  Snapshot cut(CatalogVolume volume, SnapshotName name, Map<String, String> parameters) {
    SecretsProvider secrets = calls.secretsOf(volume.spec());
    ControllerCall<Snapshot> call = SnapshotCalls.cut(volume, name, parameters, secrets);
    return ready(
        call,
        Snapshot::readyToUse,
        broken -> ControllerCalls.delete(volume.plugin(), broken.id(), secrets));
  }

  /** Snapshots of several volumes of one plugin, all of which a volume can be made of. */
  VolumeGroupSnapshot cut(
      List<CatalogVolume> volumes, SnapshotName name, Map<String, String> parameters) {
    SecretsProvider secrets = calls.secretsOf(volumes.get(0).spec());
    return ready(
        SnapshotCalls.cut(volumes, name, parameters, secrets),
        VolumeGroupSnapshot::readyToUse,
        broken ->
            SnapshotCalls.delete(
                volumes.get(0).plugin(),
                broken.id(),
                broken.snapshots().stream().map(Snapshot::id).toList(),
                secrets));
  }

  private <T> T ready(
      ControllerCall<T> call, Predicate<T> isReady, Function<T, ControllerCall<Done>> deleting) {
    long end = clock.nanos() + patience.toNanos();
    Duration pause = FIRST_PAUSE;
    Optional<T> before = Optional.empty();
    while (true) {
      T seen = again(call, before, deleting);
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
      ControllerCall<T> call, Optional<T> before, Function<T, ControllerCall<Done>> deleting) {
    try {
      return StepWait.on(controllers.call(call));
    } catch (ControllerException failed) {
      if (before.isPresent() && failed.outcome() == Outcome.REFUSED) {
        try {
          StepWait.on(controllers.call(deleting.apply(before.get())));
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
