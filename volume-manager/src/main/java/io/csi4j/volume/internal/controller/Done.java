package io.csi4j.volume.internal.controller;

/** What comes of a call that answers nothing. */
public enum Done {
  /** It is done. */
  DONE
}
