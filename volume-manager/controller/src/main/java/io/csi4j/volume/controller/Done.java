package io.csi4j.volume.controller;

/** What comes of a call that answers nothing. */
enum Done {
  /** It is done. */
  DONE
}
