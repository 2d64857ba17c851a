package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The host's name of a user of volumes: a task, a pod, an allocation.
 *
 * @param value the name; not empty, without control characters
 * @since 1.0
 */
public record WorkloadId(String value) implements Comparable<WorkloadId> {

  /** Rejects text that cannot be a name. */
  public WorkloadId {
    Names.check("workload id", value);
  }

  /** Returns the name with this text. */
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
