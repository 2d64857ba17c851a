package io.csi4j.testkit.mount;

/**
 * Where a type of filesystem has its content.
 *
 * @since 1.0
 */
public enum Backing {
  /** In memory: each mount is a new, empty filesystem, which is gone with its last mount. */
  MEMORY,
  /** On a block device, which has one filesystem however often it is mounted. */
  DEVICE,
  /** On a server, which may stop to answer; each mount is a new, empty filesystem. */
  SERVER
}
