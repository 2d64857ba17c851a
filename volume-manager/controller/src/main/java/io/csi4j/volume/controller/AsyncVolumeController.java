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
 * The operations of a {@link VolumeController}, which waits for those of this class: each method is
 * described there. Without blocking.
 *
 * <p>A stage ends when its operation does, and fails with the {@link ControllerException} that the
 * blocking call would throw. Cancelling one that waits for its turn takes it out of the line;
 * later, it ends the waiting and nothing else. Actions that hang on a stage run on a thread of the
 * controller: they may block, and hold up no other.
 *
 * @since 1.0
 */
public final class AsyncVolumeController {

  private static final String GOING_ON = "going on with";

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

  /** Makes a volume, or finds the one that was made under the same key. */
  public CompletionStage<CatalogVolume> create(VolumeKey key, VolumeSpec spec) {
    return changing(Operation.CREATE, "creating", key, () -> creation.create(key, spec));
  }

  /** Deletes a volume that was made here. */
  public CompletionStage<@Nullable Void> delete(VolumeKey key) {
    return changing(Operation.DELETE, "deleting", key, done(() -> deletion.delete(key)));
  }

  /** Takes a volume on record that was there before. */
  public CompletionStage<CatalogVolume> register(CatalogVolume volume) {
    return changing(
        Operation.REGISTER, "registering", volume.key(), () -> creation.register(volume));
  }

  /** Takes a volume on record that a cluster has made and no record names any more. */
  public CompletionStage<CatalogVolume> adopt(ClusterIdentity cluster, CatalogVolume volume) {
    return changing(
        Operation.REGISTER,
        "adopting",
        volume.key(),
        () -> creation.adopt(cluster, volume, () -> reads.unknown(volume.plugin(), cluster)));
  }

  /** Forgets a volume without holders, and leaves it where it is. */
  public CompletionStage<Boolean> deregister(VolumeKey key) {
    return changing(Operation.DEREGISTER, "forgetting", key, () -> deletion.deregister(key));
  }

  /** Forgets a volume although workloads hold it. */
  public CompletionStage<Boolean> deregister(
      VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    return changing(
        Operation.DEREGISTER, "forgetting", key, () -> deletion.forget(key, by, reason));
  }

  /** Grows a volume. */
  public CompletionStage<CatalogVolume> expand(VolumeKey key, CapacityRange to) {
    return expanding(key, () -> changes.expand(key, to));
  }

  /** Notes that the node has made a volume as large as it was told to. */
  public CompletionStage<CatalogVolume> nodeHasExpanded(VolumeKey key, CapacityRange to) {
    return expanding(key, () -> changes.settled(key, to));
  }

  /** Notes why the node cannot make a volume as large as it was told to. */
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

  /** Gives up the changes of size and parameters of a volume that are not done. */
  public CompletionStage<List<VolumeChange>> abandon(VolumeKey key) {
    return changing(
        Operation.ABANDON, "abandoning the changes of", key, () -> changes.abandon(key));
  }

  /** Goes on at once with what was begun with a volume. */
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
   * Goes on with what was begun with a volume, for no caller, unless another control plane works on
   * it.
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

  // ---- what the storage system says

  /** Reads what the plugin says of a volume now. */
  public CompletionStage<VolumeEntry> inspect(VolumeKey key) {
    return runner.begin(
        Operation.INSPECT,
        Optional.of(key),
        "reading volume '" + key + "'",
        () -> reads.inspect(key));
  }

  /** Finds out whether a volume exists. */
  public CompletionStage<VolumeVerdict> verdict(VolumeKey key) {
    return runner.begin(
        Operation.INSPECT,
        Optional.of(key),
        "looking for volume '" + key + "'",
        () -> reads.verdict(key));
  }

  /** Reads what the plugin says is wrong with a volume; nothing if it does not say. */
  @Experimental
  public CompletionStage<Optional<VolumeHealthReport>> health(VolumeKey key) {
    return reads.health(key);
  }

  /** Reads how much room there is for volumes like this one. */
  public CompletionStage<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
    return reads.capacity(spec, place);
  }

  /** Reads whether volumes of a plugin have to be attached to nodes. */
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

  /** Cuts a snapshot, and waits until it is ready. */
  public CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return cutting(volume, () -> snapshots.create(volume, name, parameters, Optional.empty()));
  }

  /** Cuts a snapshot that can be used from these places, and waits until it is ready. */
  @Experimental
  public CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      TopologyRequirement usableFrom) {
    var places = Optional.of(SnapshotCreation.places(usableFrom));
    return cutting(volume, () -> snapshots.create(volume, name, parameters, places));
  }

  private CompletionStage<Snapshot> cutting(VolumeKey volume, Supplier<Snapshot> work) {
    return runner.begin(
        Operation.CREATE_SNAPSHOT,
        Optional.of(volume),
        SnapshotCreation.CUTTING + " volume '" + volume + "'",
        work);
  }

  /** Deletes a snapshot, or a group of them, whose fate is not known. */
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

  /** Deletes a snapshot of which only the id is left. */
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

  /** Cuts snapshots of several volumes at one moment, and waits until all are ready. */
  public CompletionStage<VolumeGroupSnapshot> createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return runner.begin(
        Operation.CREATE_GROUP_SNAPSHOT,
        Optional.empty(),
        "cutting group snapshot '" + name + "'",
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

  // ---- how they begin

  private CompletionStage<CatalogVolume> expanding(VolumeKey key, Supplier<CatalogVolume> work) {
    return changing(Operation.EXPAND, "expanding", key, work);
  }

  /**
   * Begins one that changes the record of a volume. Once its work has ended, background work
   * continues what it has left undone: the caller may have stopped waiting long before.
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
            // Work whose turn did not come ends with the waiting for it.
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
