package io.csi4j.testkit.mount;

/** How the server of a filesystem behaves. */
public enum ServerState {
  /** As it should. */
  ANSWERING,
  /** It is gone, and the kernel knows. */
  DEAD,
  /** It does not let this user in. */
  DENYING,
  /** It does not answer: whoever asks it waits until it is given up. */
  HUNG
}
