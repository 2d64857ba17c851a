package io.csi4j.volume.workload;

import io.csi4j.volume.internal.names.Names;

/**
 * The name of a task, such as a container: a part of a workload that runs separately and has its
 * own view of the filesystem.
 *
 * @param value the name within its workload; not empty, without control characters
 * @since 1.0
 */
public record TaskName(String value) implements Comparable<TaskName> {

  /** Rejects a value that is not a valid name. */
  public TaskName {
    Names.check("name of a task", value);
  }

  /** Returns the task name with this text. */
  public static TaskName of(String value) {
    return new TaskName(value);
  }

  @Override
  public int compareTo(TaskName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
