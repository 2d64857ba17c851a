package io.csi4j.volume.workload;

import java.util.Objects;

/**
 * A task, and what its runtime can take: the host's word on it. Asked before anything is claimed or
 * mounted; a host that cannot tell lets {@link #takes} throw, which is told as an error of its own.
 *
 * @since 1.0
 */
public interface TaskRuntime {

  /** Which task. */
  TaskName task();

  /** Returns the runtime, as people know it: the name of a driver, a runtime class. */
  String runtime();

  /** Whether it can take volumes of a type: it can, if it does not say. */
  default boolean takes(VolumeRequest.Type type) {
    return true;
  }

  /** A runtime that takes volumes of all types. */
  static TaskRuntime of(TaskName task, String runtime) {
    return new Stated(task, runtime, true);
  }

  /** A runtime that takes no volumes. */
  static TaskRuntime withoutVolumes(TaskName task, String runtime) {
    return new Stated(task, runtime, false);
  }

  /**
   * A task with what its runtime stated once.
   *
   * @param task which task
   * @param runtime what runs it
   * @param takesVolumes whether it can take volumes
   */
  record Stated(TaskName task, String runtime, boolean takesVolumes) implements TaskRuntime {

    /** Checks that all parts are set. */
    public Stated {
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(runtime, "runtime");
    }

    @Override
    public boolean takes(VolumeRequest.Type type) {
      return takesVolumes;
    }
  }
}
