package io.csi4j.volume.model;

/**
 * The access of a workload to a volume. There is no default: a request without a mode makes no
 * claim.
 *
 * @since 1.0
 */
public enum ClaimMode {
  /** The workload only reads. */
  READ,
  /** The workload reads and writes. */
  WRITE
}
