package io.csi4j.volume.workload;

import io.csi4j.volume.model.WorkloadId;
import java.util.Objects;

/**
 * The host's decision whether mounts that a task makes in a volume may reach the host. Asked for
 * volumes that are read-write only, each time it matters; it is to be made by what kind of volume
 * it is: who may write to a CSI volume need not be allowed the same with directories of the host.
 */
@FunctionalInterface
public interface PropagationPermission {

  /** Whether they may. A decision that throws is a refusal. */
  boolean permits(Wish wish);

  /** Nobody may. */
  static PropagationPermission nobody() {
    return wish -> false;
  }

  /**
   * What is asked for.
   *
   * @param workload by which workload
   * @param task for which of its tasks
   * @param volume for which volume, as it is asked for
   */
  record Wish(WorkloadId workload, TaskName task, VolumeRequest volume) {

    /** Checks that all parts are there. */
    public Wish {
      Objects.requireNonNull(workload, "workload");
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(volume, "volume");
    }
  }
}
