package io.csi4j.mount.model;

/**
 * The knowledge of the filesystem behind a mount without asking its server anything.
 *
 * @since 1.0
 */
public enum MountHealth {
  /** The filesystem is one of this kernel's own; no other has to answer. */
  OK,
  /** The kernel says that its server is gone. It can only be unmounted. */
  DEAD,
  /** The filesystem is there, but not for this user. */
  DENIED,
  /**
   * A server has to answer for it (FUSE, NFS, and their like), and whether it does, or is hung or
   * gone, would be known only by waiting for it.
   */
  UNKNOWN
}
