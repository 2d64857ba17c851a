package io.csi4j.volume.node;

/** What giving up the use of a volume meant for the others. */
public enum Release {
  /** It was the last use: the volume is unstaged and forgotten. */
  LAST,
  /** Others go on using the volume. */
  NOT_LAST,
  /** There was no such use; nothing was done. Never taken for the last one. */
  UNKNOWN
}
