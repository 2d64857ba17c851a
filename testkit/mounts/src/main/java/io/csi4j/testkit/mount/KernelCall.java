package io.csi4j.testkit.mount;

/**
 * The calls that can be made to fail once; see {@link MemoryKernel#failNext}.
 *
 * @since 1.0
 */
public enum KernelCall {
  /** To look at a path: {@code probe} and {@code find}. */
  LOOK,
  /**
   * To read the table: {@code list}, {@code refresh}, {@code check}, {@code newer}, {@code
   * children}.
   */
  LIST,
  /** To bind. */
  BIND,
  /** To mount a filesystem by its type. */
  MOUNT,
  /** To make read-only. */
  SET_READ_ONLY,
  /** To set the propagation. */
  SET_PROPAGATION,
  /** To unmount; each attempt is one call. */
  UNMOUNT,
  /** To remove what is left when a cleanup has unmounted. */
  REMOVE
}
