package io.csi4j.volume.workload;

import io.csi4j.volume.internal.names.Names;

/**
 * A part of a workload that runs by itself and has its own view of files: a task, a container.
 *
 * @param value the name that it has in its workload; not empty, without control characters
 * @since 1.0
 */
public record TaskName(String value) implements Comparable<TaskName> {

  /** Rejects text that cannot be a name. */
  public TaskName {
    Names.check("name of a task", value);
  }

  /** The one with this name. */
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
