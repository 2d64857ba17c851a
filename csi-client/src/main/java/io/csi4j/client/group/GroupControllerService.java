package io.csi4j.client.group;

import io.csi4j.client.CallPolicy;
import io.csi4j.client.CapabilitySet;
import io.csi4j.client.CsiException;
import java.util.function.UnaryOperator;

/**
 * Snapshots of several volumes at one moment.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link CsiException}s. Interrupting the caller cancels the call. Safe for
 * use by many threads, virtual ones too.
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

  /** The same service, not blocking. */
  AsyncGroupControllerService async();

  /** The same service, with the policy of every call changed by {@code change}. */
  GroupControllerService with(UnaryOperator<CallPolicy> change);
}
