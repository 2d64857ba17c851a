package io.csi4j.client.controller;

import io.csi4j.client.CapabilitySet;
import io.csi4j.client.CsiException;
import io.csi4j.client.Experimental;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Work on volumes and snapshots that needs no particular node. Without blocking.
 *
 * <p>A stage fails with the {@link CsiException} that the blocking call would throw. Cancelling it,
 * as {@code stage.toCompletableFuture().cancel(true)}, cancels the call. Actions that hang on a
 * stage run on the callback threads of the connection, never on its I/O thread.
 */
public interface AsyncControllerService {

  /** Creates a volume, or finds the one created under the same name before. */
  CompletionStage<Volume> createVolume(CreateVolumeRequest request);

  /** Deletes a volume. One that is gone already counts as deleted. */
  CompletionStage<@Nullable Void> deleteVolume(DeleteVolumeRequest request);

  /** Attaches a volume to a node. One that is attached there just so counts as attached. */
  CompletionStage<ControllerPublishVolumeResult> publishVolume(
      ControllerPublishVolumeRequest request);

  /** Detaches a volume from a node, or from all. One that is not attached counts as detached. */
  CompletionStage<@Nullable Void> unpublishVolume(ControllerUnpublishVolumeRequest request);

  /** Asks whether a volume can be used in the given ways, and compares what was confirmed. */
  CompletionStage<ValidationResult> validateVolumeCapabilities(
      ValidateVolumeCapabilitiesRequest request);

  /** Reads one page of the volumes. */
  CompletionStage<VolumePage> listVolumes(ListVolumesRequest request);

  /** Reads how much room is left. */
  CompletionStage<Capacity> getCapacity(GetCapacityRequest request);

  /** Reads what the controller service can do. */
  CompletionStage<CapabilitySet<ControllerCapability>> getCapabilities();

  /** Cuts a snapshot, or finds the one cut under the same name before. */
  CompletionStage<Snapshot> createSnapshot(CreateSnapshotRequest request);

  /** Deletes a snapshot that belongs to no group. One that is gone already counts as deleted. */
  CompletionStage<@Nullable Void> deleteSnapshot(DeleteSnapshotRequest request);

  /** Reads one page of the snapshots. */
  CompletionStage<SnapshotPage> listSnapshots(ListSnapshotsRequest request);

  /** Reads one snapshot. */
  @Experimental
  CompletionStage<Snapshot> getSnapshot(GetSnapshotRequest request);

  /** Grows a volume on the storage side. */
  CompletionStage<ControllerExpandVolumeResult> expandVolume(ControllerExpandVolumeRequest request);

  /** Reads one volume. */
  @Experimental
  CompletionStage<VolumeEntry> getVolume(ControllerGetVolumeRequest request);

  /** Changes mutable parameters of a volume. */
  CompletionStage<@Nullable Void> modifyVolume(ControllerModifyVolumeRequest request);
}
