package io.csi4j.volume.workload;

import io.csi4j.volume.model.WorkloadId;
import java.util.Objects;

/**
 * Decides on behalf of the host whether mounts that a task makes in a volume may propagate to the
 * host. It is called only for writable volumes, each time the decision is needed. The decision
 * should depend on the type of the volume: propagation from a CSI volume may be acceptable where
 * propagation from a directory of the host is not.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface PropagationPermission {

  /** Whether the propagation is permitted. If this method throws, the propagation is refused. */
  boolean permits(Request wish);

  /** Returns a permission that refuses every request. */
  static PropagationPermission nobody() {
    return wish -> false;
  }

  /**
   * A request to permit the propagation of mounts.
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
