package io.csi4j.volume.workload;

import java.util.List;
import java.util.Objects;

/**
 * A task, and the volumes that it wants to see.
 *
 * @param runtime the task, and what its runtime can take
 * @param mounts which volumes, and where
 * @since 1.0
 */
public record TaskVolumes(TaskRuntime runtime, List<VolumeMount> mounts) {

  /** Copies the list. */
  public TaskVolumes {
    Objects.requireNonNull(runtime, "runtime");
    mounts = List.copyOf(mounts);
  }

  /** The task. */
  public TaskName task() {
    return runtime.task();
  }
}
