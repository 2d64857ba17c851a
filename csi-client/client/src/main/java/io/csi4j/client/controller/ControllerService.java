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
 * Calls for volumes and snapshots that are not bound to a node.
 *
 * <p>Every call blocks until it has succeeded or failed permanently; the client retries as often as
 * the policy of the call allows. A failed call throws a {@link io.csi4j.client.model.CsiException}.
 * Interrupting the caller cancels the call. Safe for use by many threads, including virtual
 * threads.
 *
 * @since 1.0
 */
public interface ControllerService {

  /** Creates a volume, or returns an earlier volume with the same name. */
  Volume createVolume(CreateVolumeRequest request);

  /** Deletes a volume. Succeeds if it is already gone. */
  void deleteVolume(DeleteVolumeRequest request);

  /**
   * Attaches a volume to a node. Succeeds if the volume is already attached to this node in the
   * same way.
   */
  PublishVolumeResult publishVolume(ControllerPublishVolumeRequest request);

  /** Detaches a volume from one node, or from all nodes. Succeeds if the volume is not attached. */
  void unpublishVolume(ControllerUnpublishVolumeRequest request);

  /**
   * Asks the plugin whether a volume supports the given uses, and compares the plugin's
   * confirmation with the request.
   */
  ValidationResult validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest request);

  /** Reads one page of the volumes. */
  Page<VolumeEntry> listVolumes(ListVolumesRequest request);

  /** Reads one page of the volumes with health problems. A plugin may also list healthy volumes. */
  @Experimental
  Page<VolumeHealthReport> listVolumeHealth(ControllerListVolumeHealthRequest request);

  /** Reads all health problems of one volume, on any node. */
  @Experimental
  VolumeHealthReport getVolumeHealth(ControllerGetVolumeHealthRequest request);

  /** Reads the available capacity. */
  Capacity getCapacity(GetCapacityRequest request);

  /** Reads the capabilities of the controller service. */
  CapabilitySet<ControllerCapability> getCapabilities();

  /** Creates a snapshot, or returns an earlier snapshot with the same name. */
  Snapshot createSnapshot(CreateSnapshotRequest request);

  /** Deletes a snapshot that does not belong to a group. Succeeds if it is already gone. */
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
   * Lists all volumes; a page is read only when its entries are needed. The first page is read with
   * {@code request}, so the listing can continue at a token from an earlier listing.
   */
  Listing<VolumeEntry> volumes(ListVolumesRequest request);

  /** Lists all volumes; the plugin chooses the page size. */
  default Listing<VolumeEntry> volumes() {
    return volumes(ListVolumesRequest.builder().build());
  }

  /**
   * Lists all volumes with health problems; a page is read only when its entries are needed. The
   * list may also contain healthy volumes, which have no health entries.
   */
  @Experimental
  Listing<VolumeHealthReport> volumeHealth(ControllerListVolumeHealthRequest request);

  /** Lists all volumes with health problems; the plugin chooses the page size. */
  @Experimental
  default Listing<VolumeHealthReport> volumeHealth() {
    return volumeHealth(ControllerListVolumeHealthRequest.builder().build());
  }

  /** Lists all snapshots; a page is read only when its entries are needed. */
  Listing<Snapshot> snapshots(ListSnapshotsRequest request);

  /** Lists all snapshots; the plugin chooses the page size. */
  default Listing<Snapshot> snapshots() {
    return snapshots(ListSnapshotsRequest.builder().build());
  }

  /** Returns the non-blocking form of this service. */
  Async async();

  /** Returns a copy of this service that applies {@code change} to the policy of every call. */
  ControllerService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The controller service without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. To cancel the call, cancel the stage: {@code
   * stage.toCompletableFuture().cancel(true)}. Dependent actions of a stage run on the callback
   * threads of the connection, never on its I/O thread.
   */
  interface Async {

    /** Creates a volume, or returns an earlier volume with the same name. */
    CompletionStage<Volume> createVolume(CreateVolumeRequest request);

    /** Deletes a volume. Succeeds if it is already gone. */
    CompletionStage<@Nullable Void> deleteVolume(DeleteVolumeRequest request);

    /**
     * Attaches a volume to a node. Succeeds if the volume is already attached to this node in the
     * same way.
     */
    CompletionStage<PublishVolumeResult> publishVolume(ControllerPublishVolumeRequest request);

    /**
     * Detaches a volume from one node, or from all nodes. Succeeds if the volume is not attached.
     */
    CompletionStage<@Nullable Void> unpublishVolume(ControllerUnpublishVolumeRequest request);

    /**
     * Asks the plugin whether a volume supports the given uses, and compares the plugin's
     * confirmation with the request.
     */
    CompletionStage<ValidationResult> validateVolumeCapabilities(
        ValidateVolumeCapabilitiesRequest request);

    /** Reads one page of the volumes. */
    CompletionStage<Page<VolumeEntry>> listVolumes(ListVolumesRequest request);

    /**
     * Reads one page of the volumes with health problems. A plugin may also list healthy volumes.
     */
    @Experimental
    CompletionStage<Page<VolumeHealthReport>> listVolumeHealth(
        ControllerListVolumeHealthRequest request);

    /** Reads all health problems of one volume, on any node. */
    @Experimental
    CompletionStage<VolumeHealthReport> getVolumeHealth(ControllerGetVolumeHealthRequest request);

    /** Reads the available capacity. */
    CompletionStage<Capacity> getCapacity(GetCapacityRequest request);

    /** Reads the capabilities of the controller service. */
    CompletionStage<CapabilitySet<ControllerCapability>> getCapabilities();

    /** Creates a snapshot, or returns an earlier snapshot with the same name. */
    CompletionStage<Snapshot> createSnapshot(CreateSnapshotRequest request);

    /** Deletes a snapshot that does not belong to a group. Succeeds if it is already gone. */
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
   * The result of growing a volume on the storage side.
   *
   * @since 1.0
   */
  interface ExpandVolumeResult {

    /** The new size; empty if the plugin does not report it. */
    OptionalLong capacityBytes();

    /** Whether NodeExpandVolume must be called on each node where the volume is used next. */
    boolean nodeExpansionRequired();
  }

  /**
   * The result of attaching a volume to a node.
   *
   * @since 1.0
   */
  interface PublishVolumeResult {

    /** Returns the context that must be passed to the node calls of this volume on this node. */
    PublishContext publishContext();
  }
}
