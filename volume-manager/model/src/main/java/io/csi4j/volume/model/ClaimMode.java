package io.csi4j.volume.model;

/**
 * The way in which a workload uses a volume. There is no default: a request without one claims
 * nothing.
 *
 * @since 1.0
 */
public enum ClaimMode {
  /** The workload only reads. */
  READ,
  /** The workload reads and writes. */
  WRITE
}
