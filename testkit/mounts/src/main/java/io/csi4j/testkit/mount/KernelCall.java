package io.csi4j.testkit.mount;

/**
 * The calls into which a test can inject a failure; see {@link MemoryKernel#failNext}.
 *
 * @since 1.0
 */
public enum KernelCall {
  /** Looking at a path: {@code probe} and {@code find}. */
  LOOK,
  /**
   * Reading the table: {@code list}, {@code refresh}, {@code check}, {@code newer}, {@code
   * children}.
   */
  LIST,
  /** Binding. */
  BIND,
  /** Mounting a filesystem by its type. */
  MOUNT,
  /** Making a mount read-only. */
  SET_READ_ONLY,
  /** Setting the propagation. */
  SET_PROPAGATION,
  /** Unmounting; each attempt is one call. */
  UNMOUNT,
  /** Removing what remains after a cleanup has unmounted. */
  REMOVE
}
