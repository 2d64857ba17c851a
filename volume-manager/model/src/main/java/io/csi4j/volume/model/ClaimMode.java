package io.csi4j.volume.model;

/**
 * What a workload does with a volume. There is no default: who forgets to say it claims nothing.
 */
public enum ClaimMode {
  /** It only reads. */
  READ,
  /** It reads and writes. */
  WRITE
}
