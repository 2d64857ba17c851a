package io.csi4j.client.controller;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeHealthReport;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Work on volumes and snapshots that needs no particular node.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link io.csi4j.client.model.CsiException}s. Interrupting the caller cancels
 * the call. Safe for use by many threads, virtual ones too.
 *
 * @since 1.0
 */
public interface ControllerService {

  /** Creates a volume, or finds the one created under the same name before. */
  Volume createVolume(CreateVolumeRequest request);

  /** Deletes a volume. One that is gone already counts as deleted. */
  void deleteVolume(DeleteVolumeRequest request);

  /** Attaches a volume to a node. One that is attached there just so counts as attached. */
  PublishVolumeResult publishVolume(ControllerPublishVolumeRequest request);

  /** Detaches a volume from a node, or from all. One that is not attached counts as detached. */
  void unpublishVolume(ControllerUnpublishVolumeRequest request);

  /** Asks whether a volume can be used in the given ways, and compares what was confirmed. */
  ValidationResult validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest request);

  /** Reads one page of the volumes. */
  Page<VolumeEntry> listVolumes(ListVolumesRequest request);

  /** Reads one page of the volumes that are not well. A plugin may list others, too. */
  @Experimental
  Page<VolumeHealthReport> listVolumeHealth(ControllerListVolumeHealthRequest request);

  /** Reads everything that is wrong with one volume, whatever node it is used on. */
  @Experimental
  VolumeHealthReport getVolumeHealth(ControllerGetVolumeHealthRequest request);

  /** Reads how much room is left. */
  Capacity getCapacity(GetCapacityRequest request);

  /** Reads what the controller service can do. */
  CapabilitySet<ControllerCapability> getCapabilities();

  /** Cuts a snapshot, or finds the one cut under the same name before. */
  Snapshot createSnapshot(CreateSnapshotRequest request);

  /** Deletes a snapshot that belongs to no group. One that is gone already counts as deleted. */
  void deleteSnapshot(DeleteSnapshotRequest request);

  /** Reads one page of the snapshots. */
  Page<Snapshot> listSnapshots(ListSnapshotsRequest request);

  /** Reads one snapshot. */
  @Experimental
  Snapshot getSnapshot(GetSnapshotRequest request);

  /** Grows a volume on the storage side. */
  ExpandVolumeResult expandVolume(ControllerExpandVolumeRequest request);

  /** Reads one volume. */
  @Experimental
  VolumeEntry getVolume(ControllerGetVolumeRequest request);

  /** Changes mutable parameters of a volume. */
  void modifyVolume(ControllerModifyVolumeRequest request);

  /**
   * All volumes, page by page and only as far as they are read. Begins with {@code request}, whose
   * token may be that of an earlier listing.
   */
  Listing<VolumeEntry> volumes(ListVolumesRequest request);

  /** All volumes, in pages of the plugin's own size. */
  default Listing<VolumeEntry> volumes() {
    return volumes(ListVolumesRequest.builder().build());
  }

  /**
   * All volumes that are not well, page by page and only as far as they are read. Well ones may be
   * among them, without entries.
   */
  @Experimental
  Listing<VolumeHealthReport> volumeHealth(ControllerListVolumeHealthRequest request);

  /** All volumes that are not well, in pages of the plugin's own size. */
  @Experimental
  default Listing<VolumeHealthReport> volumeHealth() {
    return volumeHealth(ControllerListVolumeHealthRequest.builder().build());
  }

  /** All snapshots, page by page and only as far as they are read. */
  Listing<Snapshot> snapshots(ListSnapshotsRequest request);

  /** All snapshots, in pages of the plugin's own size. */
  default Listing<Snapshot> snapshots() {
    return snapshots(ListSnapshotsRequest.builder().build());
  }

  /** Returns the service that does not block. */
  Async async();

  /** Returns the service with the policy of every call changed by {@code change}. */
  ControllerService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * Work on volumes and snapshots that needs no particular node. Without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the
   * call. Actions that hang on a stage run on the callback threads of the connection, never on its
   * I/O thread.
   */
  interface Async {

    /** Creates a volume, or finds the one created under the same name before. */
    CompletionStage<Volume> createVolume(CreateVolumeRequest request);

    /** Deletes a volume. One that is gone already counts as deleted. */
    CompletionStage<@Nullable Void> deleteVolume(DeleteVolumeRequest request);

    /** Attaches a volume to a node. One that is attached there just so counts as attached. */
    CompletionStage<PublishVolumeResult> publishVolume(ControllerPublishVolumeRequest request);

    /** Detaches a volume from a node, or from all. One that is not attached counts as detached. */
    CompletionStage<@Nullable Void> unpublishVolume(ControllerUnpublishVolumeRequest request);

    /** Asks whether a volume can be used in the given ways, and compares what was confirmed. */
    CompletionStage<ValidationResult> validateVolumeCapabilities(
        ValidateVolumeCapabilitiesRequest request);

    /** Reads one page of the volumes. */
    CompletionStage<Page<VolumeEntry>> listVolumes(ListVolumesRequest request);

    /** Reads one page of the volumes that are not well. A plugin may list others, too. */
    @Experimental
    CompletionStage<Page<VolumeHealthReport>> listVolumeHealth(
        ControllerListVolumeHealthRequest request);

    /** Reads everything that is wrong with one volume, whatever node it is used on. */
    @Experimental
    CompletionStage<VolumeHealthReport> getVolumeHealth(ControllerGetVolumeHealthRequest request);

    /** Reads how much room is left. */
    CompletionStage<Capacity> getCapacity(GetCapacityRequest request);

    /** Reads what the controller service can do. */
    CompletionStage<CapabilitySet<ControllerCapability>> getCapabilities();

    /** Cuts a snapshot, or finds the one cut under the same name before. */
    CompletionStage<Snapshot> createSnapshot(CreateSnapshotRequest request);

    /** Deletes a snapshot that belongs to no group. One that is gone already counts as deleted. */
    CompletionStage<@Nullable Void> deleteSnapshot(DeleteSnapshotRequest request);

    /** Reads one page of the snapshots. */
    CompletionStage<Page<Snapshot>> listSnapshots(ListSnapshotsRequest request);

    /** Reads one snapshot. */
    @Experimental
    CompletionStage<Snapshot> getSnapshot(GetSnapshotRequest request);

    /** Grows a volume on the storage side. */
    CompletionStage<ExpandVolumeResult> expandVolume(ControllerExpandVolumeRequest request);

    /** Reads one volume. */
    @Experimental
    CompletionStage<VolumeEntry> getVolume(ControllerGetVolumeRequest request);

    /** Changes mutable parameters of a volume. */
    CompletionStage<@Nullable Void> modifyVolume(ControllerModifyVolumeRequest request);
  }

  /**
   * A volume grown on the storage side.
   *
   * @since 1.0
   */
  interface ExpandVolumeResult {

    /** Its size now; nothing if the plugin does not say. */
    OptionalLong capacityBytes();

    /** Whether NodeExpandVolume is owed wherever it is used next. */
    boolean nodeExpansionRequired();
  }

  /**
   * A volume attached to a node.
   *
   * @since 1.0
   */
  interface PublishVolumeResult {

    /** Returns the context that the node calls of this volume on this node have to carry. */
    PublishContext publishContext();
  }
}
