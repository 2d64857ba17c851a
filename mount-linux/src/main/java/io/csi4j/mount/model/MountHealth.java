package io.csi4j.mount.model;

/** What can be told of the filesystem behind a mount without asking its server anything. */
public enum MountHealth {
  /** The filesystem is one of this kernel's own; nobody else has to answer. */
  OK,
  /** The kernel says that its server is gone. It can only be unmounted. */
  DEAD,
  /** It is there, but not for this user. */
  DENIED,
  /**
   * A server has to answer for it (FUSE, NFS, and their like), and whether it does, or is hung or
   * gone, would be known only by waiting for it.
   */
  UNKNOWN
}
