package io.csi4j.volume.workload;

import java.util.Objects;

/**
 * A task, and what its runtime can take: the host's word on it. Asked before anything is claimed or
 * mounted; a host that cannot tell lets {@link #mountSupport} throw, which is told as an error of
 * its own.
 *
 * @since 1.0
 */
public interface TaskRuntime {

  /** Which task. */
  TaskName task();

  /** Returns the runtime, as people know it: the name of a driver, a runtime class. */
  String runtime();

  /** Which volumes of a type it can take: all, if it does not say. */
  default MountSupport mountSupport(VolumeType type) {
    return MountSupport.ALL;
  }

  /** A runtime that takes volumes of all types, or of none. */
  static TaskRuntime of(TaskName task, String runtime, MountSupport support) {
    return new Stated(task, runtime, support);
  }

  /**
   * A task with what its runtime stated once.
   *
   * @param task which task
   * @param runtime what runs it
   * @param support what it can take
   */
  record Stated(TaskName task, String runtime, MountSupport support) implements TaskRuntime {

    /** Checks that all parts are there. */
    public Stated {
      Objects.requireNonNull(task, "task");
      Objects.requireNonNull(runtime, "runtime");
      Objects.requireNonNull(support, "support");
    }

    @Override
    public MountSupport mountSupport(VolumeType type) {
      return support;
    }
  }
}
