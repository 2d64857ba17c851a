package io.csi4j.mount.model;

/**
 * The finding at a path.
 *
 * @since 1.0
 */
public sealed interface MountProbe {

  /** There is nothing at the path. */
  record Missing() implements MountProbe {}

  /** There is something at the path, and nothing is mounted on it. */
  record NotAMount() implements MountProbe {}

  /**
   * A mount.
   *
   * @param ref which one; if several are stacked, the one on top
   * @param health what can be told of it without asking it
   */
  record Mounted(MountRef ref, Health health) implements MountProbe {}

  /** Whether a mount was found. */
  default boolean isMount() {
    return this instanceof Mounted;
  }

  /**
   * The knowledge of the filesystem behind a mount without asking its server anything.
   *
   * @since 1.0
   */
  enum Health {
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
}
