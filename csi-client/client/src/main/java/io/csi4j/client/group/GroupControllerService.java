package io.csi4j.client.group;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots of several volumes at one moment.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link io.csi4j.client.model.CsiException}s. Interrupting the caller cancels
 * the call. Safe for use by many threads, virtual ones too.
 *
 * @since 1.0
 */
public interface GroupControllerService {

  /** Reads what the group controller service can do. */
  CapabilitySet<GroupControllerCapability> getCapabilities();

  /** Cuts a group snapshot, or finds the one cut under the same name before. */
  VolumeGroupSnapshot createVolumeGroupSnapshot(CreateVolumeGroupSnapshotRequest request);

  /** Deletes a group with all its members. One that is gone already counts as deleted. */
  void deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request);

  /** Reads one group. */
  VolumeGroupSnapshot getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest request);

  /** Returns the service that does not block. */
  Async async();

  /** Returns the service with the policy of every call changed by {@code change}. */
  GroupControllerService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * Snapshots of several volumes at one moment. Without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the
   * call. Actions that hang on a stage run on the callback threads of the connection, never on its
   * I/O thread.
   */
  interface Async {

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
}
