package io.csi4j.testkit.mount;

/**
 * The behaviour of a filesystem's server.
 *
 * @since 1.0
 */
public enum ServerState {
  /** The server answers. */
  ANSWERING,
  /** The server is gone, and the kernel knows it. */
  DEAD,
  /** The server denies access to this user. */
  DENYING,
  /** The server does not answer: its callers wait until the connection is aborted. */
  HUNG
}
