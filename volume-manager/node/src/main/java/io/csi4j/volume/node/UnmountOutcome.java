package io.csi4j.volume.node;

/**
 * The meaning of a release for the other uses of the volume.
 *
 * @since 1.0
 */
public enum UnmountOutcome {
  /** The use was the last one: the volume is unstaged and forgotten. */
  LAST,
  /** Others go on using the volume. */
  NOT_LAST,
  /** There was no such use; nothing was done. Never taken for the last one. */
  UNKNOWN
}
