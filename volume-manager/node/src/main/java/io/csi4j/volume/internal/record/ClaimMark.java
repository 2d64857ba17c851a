package io.csi4j.volume.internal.record;

/**
 * The claim of a use, as this node has recorded it.
 *
 * @param epoch the epoch of the claim; 0 if the use has no claim
 * @param confirmed whether the claim was confirmed to this node at least once
 */
public record ClaimMark(long epoch, boolean confirmed) {

  /** The mark of a use without a claim. */
  public static final ClaimMark NONE = new ClaimMark(0, false);

  /** Refuses an invalid epoch. */
  public ClaimMark {
    if (epoch < 0 || (epoch == 0 && confirmed)) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
  }

  /** Returns whether the use has a claim. */
  public boolean isClaimed() {
    return epoch > 0;
  }

  /**
   * Returns the mark after the use was requested with a claim of this epoch. An epoch that is not
   * higher changes nothing.
   */
  public ClaimMark wanted(long newer) {
    return newer > epoch ? new ClaimMark(newer, false) : this;
  }

  /** Returns whether the claim with this epoch was confirmed to this node before. */
  public boolean wasConfirmed(long other) {
    return confirmed && epoch == other;
  }
}
