package io.csi4j.volume.claim;

/** As what a volume is given to workloads. */
public enum Attachment {
  /** As a mounted filesystem. */
  FILESYSTEM,
  /** As a raw block device. */
  BLOCK_DEVICE
}
