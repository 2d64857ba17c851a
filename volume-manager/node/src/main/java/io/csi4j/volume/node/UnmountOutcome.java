package io.csi4j.volume.node;

/**
 * The result of a release: whether the volume has other uses.
 *
 * @since 1.0
 */
public enum UnmountOutcome {
  /** The use was the last use of the volume: the volume is unstaged and no longer on record. */
  LAST,
  /** Other uses of the volume remain. */
  NOT_LAST,
  /**
   * There was no such use, and nothing was done. Unlike {@link #LAST}, this does not say that the
   * volume has no uses.
   */
  UNKNOWN
}
