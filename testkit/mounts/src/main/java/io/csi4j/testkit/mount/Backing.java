package io.csi4j.testkit.mount;

/**
 * The storage behind a type of filesystem.
 *
 * @since 1.0
 */
public enum Backing {
  /** Memory: each mount is a new, empty filesystem, which disappears with its last mount. */
  MEMORY,
  /** A block device, which has one filesystem however often it is mounted. */
  DEVICE,
  /** A server, which may stop answering; each mount is a new, empty filesystem. */
  SERVER
}
