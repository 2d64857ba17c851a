package io.csi4j.volume.node;

/**
 * How far a volume is at one path.
 *
 * @since 1.0
 */
public enum PathStatus {
  /** Nothing is there, and nothing is being done. */
  NONE,
  /**
   * Something may be there: a call was made, or may have been, and its end is not known. A mount
   * that another program has covered with one of its own is shown as in doubt, too.
   */
  IN_DOUBT,
  /** The mount is there: the plugin said so, and the mount table did not contradict. */
  PRESENT,
  /** The mount is not wanted any more, and is being taken away. */
  GOING,
  /**
   * The mount is there, and its server has ended: every use of it fails. Only in what is shown; on
   * record such a mount is {@link #PRESENT}.
   */
  DEAD
}
