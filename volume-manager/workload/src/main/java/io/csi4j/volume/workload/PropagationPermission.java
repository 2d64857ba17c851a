package io.csi4j.volume.workload;

import io.csi4j.volume.model.WorkloadId;
import java.util.Objects;

/**
 * The host's decision whether mounts that a task makes in a volume may propagate to the host.
 * Called for writable volumes only, each time the decision is needed. Decide by the type of volume:
 * a workload that may write to a CSI volume need not be permitted the same for directories of the
 * host.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface PropagationPermission {

  /** Whether the propagation is permitted. A decision that throws counts as a refusal. */
  boolean permits(Request wish);

  /** Returns a permission that refuses every request. */
  static PropagationPermission nobody() {
    return wish -> false;
  }

  /**
   * A request for permission.
   *
   * @param workload the workload
   * @param task the task
   * @param volume the volume as requested
   */
  record Request(WorkloadId workload, TaskName task, VolumeRequest volume) {

    /** Checks that all parts are set. */
    public Request {
      Objects.requireNonNull(workload, "workload");
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(volume, "volume");
    }
  }
}
