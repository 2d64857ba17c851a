package io.csi4j.volume.model;

/**
 * How far the manager goes to unmount a dead mount itself, once its plugin was asked to take it
 * away and has left it. Without a server nothing can be written to such a mount, so nothing can be
 * lost there; only mounts that the manager has recorded are touched.
 *
 * @since 1.0
 */
public enum DeadUnmount {
  /** Not at all: the message of the failure has the command for a person. */
  NEVER,
  /** With a plain unmount, which fails while a process uses the mount. */
  PLAIN,
  /**
   * As {@link #PLAIN}, after its connection was given up, which frees the processes that wait for
   * it.
   */
  FORCE,
  /**
   * As {@link #FORCE}; what is still in use then is detached, and its users see errors until they
   * open their files again.
   */
  LAZY
}
