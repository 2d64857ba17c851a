package io.csi4j.volume.workload;

import io.csi4j.volume.model.WorkloadId;
import java.util.Objects;

/**
 * The host's decision whether mounts that a task makes in a volume may reach the host. Asked for
 * volumes that are read-write only, each time it matters; it is to be made by what kind of volume
 * it is: who may write to a CSI volume need not be allowed the same with directories of the host.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface PropagationPermission {

  /** Whether they may. A decision that throws is a refusal. */
  boolean permits(Request wish);

  /** Returns a permission that refuses all. */
  static PropagationPermission nobody() {
    return wish -> false;
  }

  /**
   * The wish to be permitted.
   *
   * @param workload the workload
   * @param task its task
   * @param volume the volume, as it is asked for
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
