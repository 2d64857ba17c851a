package io.csi4j.volume.node;

/**
 * The state of a volume at one path.
 *
 * @since 1.0
 */
public enum PathStatus {
  /** Nothing is mounted, and no work is running for this path. */
  NONE,
  /**
   * It is uncertain whether the volume is mounted: the plugin was called, or may have been called,
   * and the result is not known. This status is also shown if another program has mounted over the
   * volume.
   */
  IN_DOUBT,
  /**
   * The volume is mounted: the plugin reported success, and the mount table does not contradict it.
   */
  PRESENT,
  /** The mount is no longer wanted, and is being removed. */
  GOING,
  /**
   * The volume is mounted, but the server of the mount has ended, so every access fails. This value
   * appears only in status output; the record of such a mount says {@link #PRESENT}.
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
