package io.csi4j.volume.controller;

/** The result of a call that answers nothing. */
enum Done {
  /** The call is done. */
  DONE
}
