package io.csi4j.volume.workload;

import java.util.Objects;

/**
 * A task, and the capabilities of its runtime. The host implements this interface, and csi4j calls
 * it before any volume is claimed or mounted. If the host cannot determine the capabilities, {@link
 * #takes} must throw an exception, which is reported as a separate error.
 *
 * @since 1.0
 */
public interface TaskRuntime {

  /** Returns the name of the task. */
  TaskName task();

  /** Returns the name of the runtime for people, such as a driver or a runtime class. */
  String runtime();

  /** Whether the runtime supports volumes of a type. The default is true. */
  default boolean takes(VolumeRequest.Type type) {
    return true;
  }

  /** Returns a runtime that supports volumes of all types. */
  static TaskRuntime of(TaskName task, String runtime) {
    return new Stated(task, runtime, true);
  }

  /** Returns a runtime that supports no volumes. */
  static TaskRuntime withoutVolumes(TaskName task, String runtime) {
    return new Stated(task, runtime, false);
  }

  /**
   * A task whose runtime supports either all volumes or no volumes.
   *
   * @param task the task
   * @param runtime the runtime
   * @param takesVolumes whether the runtime supports volumes
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
