package io.csi4j.testkit.mount;

/**
 * How the server of a filesystem behaves.
 *
 * @since 1.0
 */
public enum ServerState {
  /** As it should. */
  ANSWERING,
  /** The server is gone, and the kernel knows. */
  DEAD,
  /** The server does not let this user in. */
  DENYING,
  /** The server does not answer: its callers wait until it is given up. */
  HUNG
}
