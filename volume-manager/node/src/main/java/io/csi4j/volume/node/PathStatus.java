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
  DEAD;

  /** Returns the status of a staging path for people, such as {@code perhaps staged}. */
  public String ofStaging() {
    return phrase("staged");
  }

  /** Returns the status of the path of a workload for people, such as {@code published}. */
  public String ofTarget() {
    return phrase("published") + (this == DEAD ? ", and every use of it fails" : "");
  }

  private String phrase(String there) {
    return switch (this) {
      case NONE -> "not " + there;
      case IN_DOUBT -> "perhaps " + there;
      case PRESENT -> there;
      case GOING -> "being un" + there;
      case DEAD -> there + ", and dead: the server of the mount has ended";
    };
  }
}
