package io.csi4j.client.group;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Calls for snapshots of several volumes taken at one moment.
 *
 * <p>Every call blocks until it has succeeded or failed permanently; the client retries as often as
 * the policy of the call allows. A failed call throws a {@link io.csi4j.client.model.CsiException}.
 * Interrupting the caller cancels the call. Safe for use by many threads, including virtual
 * threads.
 *
 * @since 1.0
 */
public interface GroupControllerService {

  /** Reads the capabilities of the group controller service. */
  CapabilitySet<GroupControllerCapability> getCapabilities();

  /** Creates a group snapshot, or returns an earlier group snapshot with the same name. */
  VolumeGroupSnapshot createVolumeGroupSnapshot(CreateVolumeGroupSnapshotRequest request);

  /** Deletes a group and all its snapshots. Succeeds if the group is already gone. */
  void deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request);

  /** Reads one group. */
  VolumeGroupSnapshot getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest request);

  /** Returns the non-blocking form of this service. */
  Async async();

  /** Returns a copy of this service that applies {@code change} to the policy of every call. */
  GroupControllerService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The group controller service without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. To cancel the call, cancel the stage: {@code
   * stage.toCompletableFuture().cancel(true)}. Dependent actions of a stage run on the callback
   * threads of the connection, never on its I/O thread.
   */
  interface Async {

    /** Reads the capabilities of the group controller service. */
    CompletionStage<CapabilitySet<GroupControllerCapability>> getCapabilities();

    /** Creates a group snapshot, or returns an earlier group snapshot with the same name. */
    CompletionStage<VolumeGroupSnapshot> createVolumeGroupSnapshot(
        CreateVolumeGroupSnapshotRequest request);

    /** Deletes a group and all its snapshots. Succeeds if the group is already gone. */
    CompletionStage<@Nullable Void> deleteVolumeGroupSnapshot(
        DeleteVolumeGroupSnapshotRequest request);

    /** Reads one group. */
    CompletionStage<VolumeGroupSnapshot> getVolumeGroupSnapshot(
        GetVolumeGroupSnapshotRequest request);
  }
}
