package io.csi4j.mount.internal.kernel;

/** A group of system calls that a kernel may lack, or that a filter may deny to this process. */
public enum Feature {
  /** {@code statx} that reports whether a path is the root of a mount (5.8). */
  STATX_MOUNT_ROOT,
  /** {@code statx} that returns the unique number of a mount (6.8). */
  STATX_UNIQUE_ID,
  /** {@code openat2} (5.6). */
  OPENAT2,
  /** {@code statmount} (6.8). */
  STATMOUNT,
  /** {@code listmount} (6.8). */
  LISTMOUNT,
  /** {@code open_tree} and {@code move_mount} (5.2). */
  OPEN_TREE,
  /** {@code mount_setattr} (5.12). */
  MOUNT_SETATTR,
  /** {@code fanotify} that reports mounts (6.15). */
  FANOTIFY_MOUNTS
}
