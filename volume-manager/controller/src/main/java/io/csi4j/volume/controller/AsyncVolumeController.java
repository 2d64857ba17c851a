package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.controller.VolumeController.PageRequest;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeVerdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a {@link VolumeController} without blocking. The blocking methods wait for the
 * methods of this class, and describe each operation.
 *
 * <p>A stage completes when its operation ends, and fails with the {@link ControllerException} that
 * the blocking call would throw. Cancelling an operation that waits for its turn removes it from
 * the queue; cancelling it later only ends the wait. Dependent actions of a stage run on a thread
 * of the controller: they may block, and delay no other operation.
 *
 * @since 1.0
 */
public final class AsyncVolumeController {

  private static final String GOING_ON = "continuing";

  private final Catalog catalog;
  private final OperationRunner runner;
  private final UnfinishedWork unfinished;
  private final VolumeCreation creation;
  private final VolumeModification changes;
  private final VolumeDeletion deletion;
  private final SnapshotCreation snapshots;
  private final StorageReads reads;

  AsyncVolumeController(
      Catalog catalog,
      OperationRunner runner,
      UnfinishedWork unfinished,
      VolumeCreation creation,
      VolumeModification changes,
      VolumeDeletion deletion,
      SnapshotCreation snapshots,
      StorageReads reads) {
    this.catalog = catalog;
    this.runner = runner;
    this.unfinished = unfinished;
    this.creation = creation;
    this.changes = changes;
    this.deletion = deletion;
    this.snapshots = snapshots;
    this.reads = reads;
  }

  // ---- volumes

  /** Creates a volume, or finds the one that was created with the same key. */
  public CompletionStage<CatalogVolume> create(VolumeKey key, VolumeSpec spec) {
    return changing(Operation.CREATE, "creating", key, () -> creation.create(key, spec));
  }

  /** Deletes a volume that was created here. */
  public CompletionStage<@Nullable Void> delete(VolumeKey key) {
    return changing(Operation.DELETE, "deleting", key, done(() -> deletion.delete(key)));
  }

  /** Registers a volume that existed before. */
  public CompletionStage<CatalogVolume> register(CatalogVolume volume) {
    return changing(
        Operation.REGISTER, "registering", volume.key(), () -> creation.register(volume));
  }

  /**
   * Creates the record of a volume that a cluster has created and that no record names any more.
   */
  public CompletionStage<CatalogVolume> adopt(ClusterIdentity cluster, CatalogVolume volume) {
    return changing(
        Operation.REGISTER,
        "adopting",
        volume.key(),
        () -> creation.adopt(cluster, volume, () -> reads.unknown(volume.plugin(), cluster)));
  }

  /** Removes the record of a volume without holders; the volume itself is not touched. */
  public CompletionStage<Boolean> deregister(VolumeKey key) {
    return changing(Operation.DEREGISTER, "forgetting", key, () -> deletion.deregister(key));
  }

  /** Removes the record of a volume although workloads hold it. */
  public CompletionStage<Boolean> deregister(
      VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    return changing(
        Operation.DEREGISTER, "forgetting", key, () -> deletion.forget(key, by, reason));
  }

  /** Expands a volume. */
  public CompletionStage<CatalogVolume> expand(VolumeKey key, CapacityRange to) {
    return expanding(key, () -> changes.expand(key, to));
  }

  /** Records that the node has expanded a volume to the requested size. */
  public CompletionStage<CatalogVolume> nodeHasExpanded(VolumeKey key, CapacityRange to) {
    return expanding(key, () -> changes.settled(key, to));
  }

  /** Records why the node cannot expand a volume to the requested size. */
  public CompletionStage<CatalogVolume> nodeCannotExpand(
      VolumeKey key, CapacityRange to, OperatorMessage why) {
    return expanding(key, () -> changes.refusedByNode(key, to, why));
  }

  /** Changes parameters of a volume. */
  public CompletionStage<CatalogVolume> modify(
      VolumeKey key, Map<String, String> mutableParameters) {
    return changing(
        Operation.MODIFY, "modifying", key, () -> changes.modify(key, mutableParameters));
  }

  /** Abandons the pending changes of size and parameters of a volume. */
  public CompletionStage<List<VolumeChange>> abandon(VolumeKey key) {
    return changing(
        Operation.ABANDON, "abandoning the changes of", key, () -> changes.abandon(key));
  }

  /** Resumes the pending operation on a volume immediately. */
  public CompletionStage<@Nullable Void> resume(VolumeKey key) {
    return changing(
        Operation.RESUME, GOING_ON, key, done(() -> catalog.work(goingOn(key), key, this::goOn)));
  }

  private Done goOn(VolumeWork work) {
    if (!deletion.goOn(work)) {
      changes.goOn(work);
    }
    return Done.DONE;
  }

  private static Subject goingOn(VolumeKey key) {
    return Subject.of(GOING_ON + " volume '" + key + "'");
  }

  /**
   * Resumes the pending operation on a volume in the background, unless another control plane works
   * on it.
   */
  CompletableFuture<@Nullable Void> retry(VolumeKey key) {
    return runner.begin(
        Operation.RETRY,
        Optional.of(key),
        new TreeSet<>(Set.of(key)),
        GOING_ON + " volume '" + key + "'",
        done(() -> catalog.workIfFree(goingOn(key), key, this::goOn)),
        failure -> {});
  }

  // ---- what the storage system reports

  /** Reads the current state of a volume from its plugin. */
  public CompletionStage<VolumeEntry> inspect(VolumeKey key) {
    return runner.begin(
        Operation.INSPECT,
        Optional.of(key),
        "reading volume '" + key + "'",
        () -> reads.inspect(key));
  }

  /** Determines whether a volume exists. */
  public CompletionStage<VolumeVerdict> verdict(VolumeKey key) {
    return runner.begin(
        Operation.INSPECT,
        Optional.of(key),
        "looking for volume '" + key + "'",
        () -> reads.verdict(key));
  }

  /** Reads the faults of a volume from its plugin; empty if the plugin does not report health. */
  @Experimental
  public CompletionStage<Optional<VolumeHealthReport>> health(VolumeKey key) {
    return reads.health(key);
  }

  /** Reads the free capacity for volumes like this one. */
  public CompletionStage<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
    return reads.capacity(spec, place);
  }

  /** Reads whether volumes of a plugin must be attached to nodes. */
  public CompletionStage<Boolean> attaches(PluginId plugin) {
    return reads.attaches(plugin);
  }

  /** Reads the capabilities that the controllers of a plugin offer. */
  public CompletionStage<Set<ControllerCapability>> offered(PluginId plugin) {
    return reads.offered(plugin);
  }

  /** Reads one page of the volumes of the storage system. */
  public CompletionStage<Page<VolumeEntry>> list(PluginId plugin, PageRequest page) {
    return reads.list(plugin, page);
  }

  // ---- snapshots

  /** Creates a snapshot, and waits until it is ready. */
  public CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return cutting(volume, () -> snapshots.create(volume, name, parameters, Optional.empty()));
  }

  /** Creates a snapshot that is usable from these topologies, and waits until it is ready. */
  @Experimental
  public CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      TopologyRequirement usableFrom) {
    var places = Optional.of(usableFrom);
    return cutting(volume, () -> snapshots.create(volume, name, parameters, places));
  }

  private CompletionStage<Snapshot> cutting(VolumeKey volume, Supplier<Snapshot> work) {
    return runner.begin(
        Operation.CREATE_SNAPSHOT,
        Optional.of(volume),
        SnapshotCreation.CUTTING + " volume '" + volume + "'",
        work);
  }

  /** Deletes a snapshot, or a group of snapshots, whose state is uncertain. */
  public CompletionStage<Boolean> dropSnapshot(VolumeKey volume, SnapshotName name) {
    return runner.begin(
        Operation.DELETE_SNAPSHOT,
        Optional.of(volume),
        "dropping a snapshot of volume '" + volume + "'",
        () -> snapshots.drop(volume, name));
  }

  /** Deletes a snapshot that belongs to no group. */
  public CompletionStage<@Nullable Void> deleteSnapshot(
      PluginId plugin, Snapshot snapshot, Optional<SecretsReference> secrets) {
    return deleteSnapshot(plugin, snapshot.id(), snapshot.groupSnapshotId(), secrets);
  }

  /** Deletes a snapshot of which only the id is known. */
  public CompletionStage<@Nullable Void> deleteSnapshot(
      PluginId plugin, SnapshotId snapshot, Optional<SecretsReference> secrets) {
    return deleteSnapshot(plugin, snapshot, Optional.empty(), secrets);
  }

  private CompletionStage<@Nullable Void> deleteSnapshot(
      PluginId plugin,
      SnapshotId snapshot,
      Optional<GroupSnapshotId> group,
      Optional<SecretsReference> secrets) {
    return runner.begin(
        Operation.DELETE_SNAPSHOT,
        Optional.empty(),
        "deleting snapshot '" + snapshot + "'",
        done(() -> snapshots.delete(plugin, snapshot, group, secrets)));
  }

  /** Creates snapshots of several volumes at one moment, and waits until all are ready. */
  public CompletionStage<VolumeGroupSnapshot> createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return runner.begin(
        Operation.CREATE_GROUP_SNAPSHOT,
        Optional.empty(),
        "creating group snapshot '" + name + "'",
        () -> snapshots.create(volumes, name, parameters));
  }

  /** Deletes a group with all its snapshots. */
  public CompletionStage<@Nullable Void> deleteGroupSnapshot(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    List<SnapshotId> all = List.copyOf(members);
    return runner.begin(
        Operation.DELETE_GROUP_SNAPSHOT,
        Optional.empty(),
        "deleting group snapshot '" + group + "'",
        done(() -> snapshots.delete(plugin, group, all, secrets)));
  }

  // ---- starting operations

  private CompletionStage<CatalogVolume> expanding(VolumeKey key, Supplier<CatalogVolume> work) {
    return changing(Operation.EXPAND, "expanding", key, work);
  }

  /**
   * Begins an operation that changes the record of a volume. When its work has ended, background
   * work continues what is still pending: the caller may have stopped waiting long before.
   */
  private <T extends @Nullable Object> CompletionStage<T> changing(
      Operation kind, String doing, VolumeKey key, Supplier<T> work) {
    AtomicBoolean isAtWork = new AtomicBoolean();
    var begun =
        runner.begin(
            kind,
            Optional.of(key),
            new TreeSet<>(Set.of(key)),
            doing + " volume '" + key + "'",
            () -> {
              isAtWork.set(true);
              return work.get();
            },
            failure -> unfinished.ended(key, failure));
    begun.whenComplete(
        (value, thrown) -> {
          if (!isAtWork.get()) {
            // Work that never got its turn ends when the wait for it ends.
            unfinished.ended(key, Optional.empty());
          }
        });
    return begun;
  }

  private static Supplier<@Nullable Void> done(Runnable work) {
    return () -> {
      work.run();
      return null;
    };
  }
}
