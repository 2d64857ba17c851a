package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeUse;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * Mounts and unmounts volumes for workloads without blocking the caller.
 *
 * <p>A stage completes when its operation ends. It fails with the {@link
 * io.csi4j.volume.model.VolumeException} that the blocking call would throw. Cancelling a stage
 * cancels only the waiting; the operation continues. Actions that depend on a stage run on the
 * manager's callback thread, never on a thread that performs volume operations.
 *
 * @since 1.0
 */
public interface AsyncVolumeMounter {

  /** Mounts a volume for a workload. */
  CompletionStage<MountedVolume> mount(MountRequest request);

  /** Publishes a mounted volume again with the contexts and secrets of this request. */
  CompletionStage<MountedVolume> refresh(MountRequest request);

  /** Releases the use of a volume by a workload. */
  CompletionStage<UnmountOutcome> unmount(VolumeUse usage);

  /** Abandons a use whose release does not end. Only an operator should decide to call this. */
  CompletionStage<UnmountOutcome> abandon(VolumeUse usage, String reason);

  /** Expands the volume on the node after the volume has grown. */
  CompletionStage<OptionalLong> expand(
      VolumeUse usage, CapacityRange capacity, SecretsProvider secrets);

  /** Reads the usage and the condition of a volume. */
  CompletionStage<VolumeStats> stats(VolumeUse usage);

  /**
   * Asks the plugin for the faults of the volume that this use belongs to, and returns all known
   * faults.
   */
  CompletionStage<VolumeHealth> health(VolumeUse usage);
}
