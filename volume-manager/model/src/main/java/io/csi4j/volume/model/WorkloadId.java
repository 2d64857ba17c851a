package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The host's name for a workload that uses volumes, such as a task, a pod or an allocation.
 *
 * @param value the name; not empty, without control characters
 * @since 1.0
 */
public record WorkloadId(String value) implements Comparable<WorkloadId> {

  /** Rejects a value that is not a valid name. */
  public WorkloadId {
    Names.check("workload id", value);
  }

  /** Returns the workload id with this text. */
  public static WorkloadId of(String value) {
    return new WorkloadId(value);
  }

  @Override
  public int compareTo(WorkloadId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
