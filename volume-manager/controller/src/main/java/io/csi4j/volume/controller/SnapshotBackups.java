package io.csi4j.volume.controller;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.GetMetadataDeltaRequest;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.RequestedTopologies;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * Snapshots for backups, of {@link VolumeController#backups}. A snapshot is cut first, so that the
 * application, which stands still, can go on; when it is ready it is asked about again, maybe by
 * another life of the host. What is cut stays on record until the host says that it keeps it, or
 * drops it: so no snapshot is orphaned, at whatever moment the host is killed.
 *
 * <p>Methods block and fail with {@link ControllerException}, as those of the controller. Safe for
 * many threads.
 *
 * <pre>{@code
 * SnapshotName name = new SnapshotSchedule("nightly").nameAt(tick, db); // the same after a crash
 * application.freeze();
 * try {
 *   backups.cut(db, name, Map.of()); // returns when the snapshot is cut, ready or not
 * } finally {
 *   application.thaw();
 * }
 * Snapshot ready = backups.ready(db, name); // also after a restart
 * host.accept(ready); // the host notes it in its own list
 * backups.keep(db, name);
 * }</pre>
 *
 * @since 1.0
 */
public final class SnapshotBackups {

  private final Catalog catalog;
  private final SnapshotCreation snapshots;
  private final MetadataStreams streams;
  private final OperationRunner runner;

  SnapshotBackups(
      Catalog catalog,
      SnapshotCreation snapshots,
      MetadataStreams streams,
      OperationRunner runner) {
    this.catalog = catalog;
    this.snapshots = snapshots;
    this.streams = streams;
    this.runner = runner;
  }

  /**
   * Cuts a snapshot, or finds the one of this name, and returns as soon as the plugin has answered
   * that it is cut. It may not be {@linkplain Snapshot#readyToUse ready} yet; {@link #ready} waits
   * for that. Until the host {@linkplain #keep keeps} it or {@linkplain
   * VolumeController#dropSnapshot drops} it, it is on record, and its volume is not deleted.
   *
   * @param name not that of a snapshot that was dropped or deleted; one that was kept is found
   *     again
   * @param parameters opaque parameters for the plugin; under one name always the same
   */
  public Snapshot cut(VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return cut(volume, name, parameters, Optional.empty());
  }

  /**
   * Cuts a snapshot that has to be usable from some place.
   *
   * @param usableFrom from where it has to be usable; needs SNAPSHOT_ACCESSIBILITY_CONSTRAINTS
   */
  @Experimental
  public Snapshot cut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      TopologyRequirement usableFrom) {
    return cut(volume, name, parameters, Optional.of(SnapshotCreation.places(usableFrom)));
  }

  private Snapshot cut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<RequestedTopologies> places) {
    return OperationRunner.await(beginCut(volume, name, parameters, places));
  }

  CompletableFuture<Snapshot> beginCut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<RequestedTopologies> places) {
    return runner.begin(
        Operation.CREATE_SNAPSHOT,
        Optional.of(volume),
        SnapshotCreation.CUTTING + " volume '" + volume + "'",
        () -> snapshots.cut(volume, name, parameters, places));
  }

  /**
   * Cuts snapshots of several volumes of one plugin at one moment, and returns as soon as the
   * plugin has answered that they are cut. The ids of all members are on record then.
   *
   * @param volumes all volumes of the group; under one name always the same
   */
  public VolumeGroupSnapshot cut(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return await(
        Operation.CREATE_GROUP_SNAPSHOT,
        Optional.empty(),
        "cutting group snapshot '" + name + "'",
        () -> snapshots.cut(volumes, name, parameters));
  }

  /**
   * Waits until a snapshot that was cut is ready: a volume can be made of it. Asking again is
   * harmless, in this life of the host and in a later one, until it is kept or dropped.
   *
   * @throws ControllerException {@link OperatorCode#SNAPSHOT_UNKNOWN} if none of that name is on
   *     record, also if it was kept or dropped during this call; {@link
   *     OperatorCode#SNAPSHOT_NOT_READY} if it takes longer than the controller's patience, and
   *     this may be called again; {@link OperatorCode#SNAPSHOT_LOST} if the snapshot that was cut
   *     is gone
   */
  public Snapshot ready(VolumeKey volume, SnapshotName name) {
    String doing = "waiting for snapshot '" + name + "' of";
    return await(
        Operation.CREATE_SNAPSHOT,
        Optional.of(volume),
        doing + " volume '" + volume + "'",
        () ->
            snapshots
                .ready(catalog.there(volume, doing), name)
                .orElseThrow(() -> unknown(doing, volume)));
  }

  /**
   * The same for a group of snapshots.
   *
   * @param volume any volume of the group
   */
  public VolumeGroupSnapshot readyGroup(VolumeKey volume, SnapshotName name) {
    String doing = "waiting for group snapshot '" + name + "' of";
    return await(
        Operation.CREATE_GROUP_SNAPSHOT,
        Optional.of(volume),
        doing + " volume '" + volume + "'",
        () ->
            snapshots
                .readyGroup(catalog.there(volume, doing), name)
                .orElseThrow(() -> unknown(doing, volume)));
  }

  /**
   * Says that the host has noted a snapshot, or a group of snapshots, and looks after it from now
   * on: it is not on record here any more. It is no error if it, or the volume, is not on record.
   * Waits for the end of a call for the same snapshot.
   *
   * @param volume the volume, or any of the group's
   * @return whether one of that name was on record
   */
  public boolean keep(VolumeKey volume, SnapshotName name) {
    return OperationRunner.await(beginKeep(volume, name));
  }

  CompletableFuture<Boolean> beginKeep(VolumeKey volume, SnapshotName name) {
    return runner.begin(
        Operation.DELETE_SNAPSHOT,
        Optional.of(volume),
        "keeping a snapshot of volume '" + volume + "'",
        () -> snapshots.keep(volume, name));
  }

  private static ControllerException unknown(String doing, VolumeKey volume) {
    return ControllerFailures.refused(
        OperatorCode.SNAPSHOT_UNKNOWN, Subject.of(doing + " volume '" + volume + "'"), "");
  }

  private <T> T await(Operation kind, Optional<VolumeKey> volume, String doing, Supplier<T> work) {
    return OperationRunner.await(runner.begin(kind, volume, doing, work));
  }

  /**
   * Returns the snapshots that were asked for and are neither kept nor dropped, by volume. One with
   * an {@linkplain CatalogEntry.PendingSnapshot#answer answer} is cut; one without may be.
   */
  public SortedMap<VolumeKey, List<CatalogEntry.PendingSnapshot>> pending() {
    SortedMap<VolumeKey, List<CatalogEntry.PendingSnapshot>> pending = new TreeMap<>();
    catalog.all().stream()
        .filter(each -> !each.pendingSnapshots().isEmpty())
        .forEach(each -> pending.put(each.key(), each.pendingSnapshots()));
    return pending;
  }

  // ---- blocks

  /**
   * Returns the ranges of a block volume that differ between two of its snapshots, in ascending
   * order. Each subscription asks the plugin again; no more batches are fetched than were
   * requested. Only {@code onComplete} means that the ranges are complete; {@code onError} tells a
   * {@link ControllerException}.
   *
   * @param base the older snapshot
   * @param target the newer snapshot
   */
  @Experimental
  public Flow.Publisher<BlockMetadataBatch> changed(
      PluginId plugin, SnapshotId base, SnapshotId target, Optional<SecretsReference> secrets) {
    return streams.publisher(
        plugin,
        CsiOperation.GET_METADATA_DELTA,
        Subject.of(
            "reading what changed between the snapshots '"
                + base
                + "' and '"
                + target
                + "' of plugin '"
                + plugin
                + "'"),
        secrets,
        (service, given) ->
            service.getMetadataDelta(
                GetMetadataDeltaRequest.builder(base, target).secrets(given).build()));
  }

  /** Returns the ranges of a block volume that hold data in a snapshot, in the same way. */
  @Experimental
  public Flow.Publisher<BlockMetadataBatch> allocated(
      PluginId plugin, SnapshotId snapshot, Optional<SecretsReference> secrets) {
    return streams.publisher(
        plugin,
        CsiOperation.GET_METADATA_ALLOCATED,
        Subject.of(
            "reading which blocks snapshot '" + snapshot + "' of plugin '" + plugin + "' holds"),
        secrets,
        (service, given) ->
            service.getMetadataAllocated(
                GetMetadataAllocatedRequest.builder(snapshot).secrets(given).build()));
  }
}
