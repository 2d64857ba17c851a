package io.csi4j.volume.workload;

/**
 * Which volume mounts a runtime of workloads can take.
 *
 * @since 1.0
 */
public enum MountSupport {
  /** All; also what a runtime means that does not say anything, as older ones do. */
  ALL,
  /** None. */
  NONE
}
