package io.csi4j.client.group;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Calls for snapshots of several volumes taken at one moment.
 *
 * <p>Every call blocks until it has succeeded or failed permanently, with the retries that its
 * policy allows; failures are {@link io.csi4j.client.model.CsiException}s. Interrupting the caller
 * cancels the call. Safe for use by many threads, virtual ones too.
 *
 * @since 1.0
 */
public interface GroupControllerService {

  /** Reads the capabilities of the group controller service. */
  CapabilitySet<GroupControllerCapability> getCapabilities();

  /** Creates a group snapshot, or returns the one that was created under the same name before. */
  VolumeGroupSnapshot createVolumeGroupSnapshot(CreateVolumeGroupSnapshotRequest request);

  /** Deletes a group with all its members. Succeeds if it is already gone. */
  void deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request);

  /** Reads one group. */
  VolumeGroupSnapshot getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest request);

  /** Returns the non-blocking form of this service. */
  Async async();

  /** Returns the service with the policy of every call changed by {@code change}. */
  GroupControllerService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The group controller service without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the
   * call. Dependent actions of a stage run on the callback threads of the connection, never on its
   * I/O thread.
   */
  interface Async {

    /** Reads the capabilities of the group controller service. */
    CompletionStage<CapabilitySet<GroupControllerCapability>> getCapabilities();

    /** Creates a group snapshot, or returns the one that was created under the same name before. */
    CompletionStage<VolumeGroupSnapshot> createVolumeGroupSnapshot(
        CreateVolumeGroupSnapshotRequest request);

    /** Deletes a group with all its members. Succeeds if it is already gone. */
    CompletionStage<@Nullable Void> deleteVolumeGroupSnapshot(
        DeleteVolumeGroupSnapshotRequest request);

    /** Reads one group. */
    CompletionStage<VolumeGroupSnapshot> getVolumeGroupSnapshot(
        GetVolumeGroupSnapshotRequest request);
  }
}
