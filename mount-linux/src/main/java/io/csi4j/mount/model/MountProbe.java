package io.csi4j.mount.model;

/**
 * The result of examining a path.
 *
 * @since 1.0
 */
public sealed interface MountProbe {

  /** Nothing exists at the path. */
  record Missing() implements MountProbe {}

  /** Something exists at the path, and nothing is mounted on it. */
  record NotAMount() implements MountProbe {}

  /**
   * A mount.
   *
   * @param ref the mount; if several are stacked, the one on top
   * @param health its health, as far as it is known without calling its server
   */
  record Mounted(MountRef ref, Health health) implements MountProbe {}

  /** Returns whether a mount was found. */
  default boolean isMount() {
    return this instanceof Mounted;
  }

  /**
   * What is known about the filesystem of a mount without calling its server.
   *
   * @since 1.0
   */
  enum Health {
    /** The filesystem belongs to this kernel; no server is involved. */
    OK,
    /** The kernel reports that its server is gone. It can only be unmounted. */
    DEAD,
    /** The filesystem exists, but this user has no access. */
    DENIED,
    /**
     * The filesystem has a server (FUSE, NFS, and similar ones). Whether the server answers, hangs
     * or is gone would be known only by waiting for it.
     */
    UNKNOWN
  }
}
