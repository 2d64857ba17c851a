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
 * Snapshots for backups, of {@link VolumeController#backups}. A snapshot is created first, so that
 * the paused application can continue; then the host waits until it is ready, possibly after a
 * restart. A created snapshot stays recorded until the host keeps or drops it: no snapshot is
 * orphaned, at whatever moment the host is killed.
 *
 * <p>Methods block and fail with {@link ControllerException}, like those of the controller.
 * Thread-safe.
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
   * Creates a snapshot, or finds the one of this name, and returns as soon as the plugin has
   * answered that it exists. It may not be {@linkplain Snapshot#readyToUse ready} yet; {@link
   * #ready} waits for that. Until the host {@linkplain #keep keeps} it or {@linkplain
   * VolumeController#dropSnapshot drops} it, the snapshot is recorded and its volume is not
   * deleted.
   *
   * @param name the name; not that of a dropped or deleted snapshot; the name of a kept one finds
   *     it again
   * @param parameters opaque parameters for the plugin; always the same for one name
   */
  public Snapshot cut(VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return cut(volume, name, parameters, Optional.empty());
  }

  /**
   * Creates a snapshot that must be usable from given topologies.
   *
   * @param usableFrom the topologies from which it must be usable; needs
   *     SNAPSHOT_ACCESSIBILITY_CONSTRAINTS
   */
  @Experimental
  public Snapshot cut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      TopologyRequirement usableFrom) {
    return cut(volume, name, parameters, Optional.of(usableFrom));
  }

  private Snapshot cut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<TopologyRequirement> places) {
    return OperationRunner.await(beginCut(volume, name, parameters, places));
  }

  CompletableFuture<Snapshot> beginCut(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<TopologyRequirement> places) {
    return runner.begin(
        Operation.CREATE_SNAPSHOT,
        Optional.of(volume),
        SnapshotCreation.CUTTING + " volume '" + volume + "'",
        () -> snapshots.cut(volume, name, parameters, places));
  }

  /**
   * Creates snapshots of several volumes of one plugin at one moment, and returns as soon as the
   * plugin has answered that they exist. The ids of all members are recorded by then.
   *
   * @param volumes all volumes of the group; always the same for one name
   */
  public VolumeGroupSnapshot cut(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return await(
        Operation.CREATE_GROUP_SNAPSHOT,
        Optional.empty(),
        "creating group snapshot '" + name + "'",
        () -> snapshots.cut(volumes, name, parameters));
  }

  /**
   * Waits until a created snapshot is ready to be the source of a volume. The call may be repeated,
   * also after a restart of the host, until the snapshot is kept or dropped.
   *
   * @throws ControllerException {@link OperatorCode#SNAPSHOT_UNKNOWN} if no snapshot of that name
   *     is recorded, also if it was kept or dropped during this call; {@link
   *     OperatorCode#SNAPSHOT_NOT_READY} if it takes longer than the controller's patience, in
   *     which case the call may be repeated; {@link OperatorCode#SNAPSHOT_LOST} if the created
   *     snapshot is gone
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
   * Waits until a created group of snapshots is ready.
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
   * Hands a snapshot or a group of snapshots over to the host, which has noted it: it is no longer
   * recorded here. Does nothing if the snapshot or the volume has no record. Waits for the end of a
   * call for the same snapshot.
   *
   * @param volume the volume, or any volume of the group
   * @return whether a snapshot of that name was recorded
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
   * Returns the requested snapshots that are neither kept nor dropped, by volume. A snapshot with
   * an {@linkplain CatalogEntry.PendingSnapshot#answer answer} exists; one without an answer may
   * exist.
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
   * order. Each subscription calls the plugin again; no more batches are fetched than were
   * requested. Only {@code onComplete} means that the ranges are complete; {@code onError} gets a
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
            "reading the changes between the snapshots '"
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
            "reading the allocated blocks of snapshot '"
                + snapshot
                + "' of plugin '"
                + plugin
                + "'"),
        secrets,
        (service, given) ->
            service.getMetadataAllocated(
                GetMetadataAllocatedRequest.builder(snapshot).secrets(given).build()));
  }
}
