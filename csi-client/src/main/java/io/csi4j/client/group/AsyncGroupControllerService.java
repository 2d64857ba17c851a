package io.csi4j.client.group;

import io.csi4j.client.CapabilitySet;
import io.csi4j.client.CsiException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of several volumes at one moment. Without blocking.
 *
 * <p>A stage fails with the {@link CsiException} that the blocking call would throw. Cancelling it,
 * as {@code stage.toCompletableFuture().cancel(true)}, cancels the call. Actions that hang on a
 * stage run on the callback threads of the connection, never on its I/O thread.
 */
public interface AsyncGroupControllerService {

  /** Reads what the group controller service can do. */
  CompletionStage<CapabilitySet<GroupControllerCapability>> getCapabilities();

  /** Cuts a group snapshot, or finds the one cut under the same name before. */
  CompletionStage<VolumeGroupSnapshot> createVolumeGroupSnapshot(
      CreateVolumeGroupSnapshotRequest request);

  /** Deletes a group with all its members. One that is gone already counts as deleted. */
  CompletionStage<@Nullable Void> deleteVolumeGroupSnapshot(
      DeleteVolumeGroupSnapshotRequest request);

  /** Reads one group. */
  CompletionStage<VolumeGroupSnapshot> getVolumeGroupSnapshot(
      GetVolumeGroupSnapshotRequest request);
}
