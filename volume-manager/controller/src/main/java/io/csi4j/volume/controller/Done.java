package io.csi4j.volume.controller;

/** The result of a call whose answer has no content. */
enum Done {
  /** The call is done. */
  DONE
}
