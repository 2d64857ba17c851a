package io.csi4j.volume.node;

import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeUse;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * Makes volumes appear for workloads, and go again. Without blocking.
 *
 * <p>A stage ends when its operation does, and fails with the {@link
 * io.csi4j.volume.model.VolumeException} that the blocking call would throw. Cancelling a stage
 * ends the waiting and nothing else. Actions that hang on a stage run on the callback thread of the
 * manager, never on one that works for volumes.
 *
 * @since 1.0
 */
public interface AsyncVolumeMounter {

  /** Makes a volume appear for a workload. */
  CompletionStage<MountedVolume> mount(MountRequest request);

  /** Publishes again what a workload has, with the contexts and secrets of this request. */
  CompletionStage<MountedVolume> refresh(MountRequest request);

  /** Gives up the use of a volume by a workload. */
  CompletionStage<UnmountOutcome> unmount(VolumeUse usage);

  /** Gives up a use whose release does not end, as a person decided. */
  CompletionStage<UnmountOutcome> abandon(VolumeUse usage, String reason);

  /** Lets the node take notice that a volume has grown. */
  CompletionStage<OptionalLong> expand(ExpandRequest request);

  /** Reads how full a volume is, and whether it is well. */
  CompletionStage<VolumeStats> stats(VolumeUse usage);

  /** Asks the plugin for the faults of the volume of a use, and returns all that is known. */
  CompletionStage<VolumeHealth> health(VolumeUse usage);
}
