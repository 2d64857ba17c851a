package io.csi4j.volume.internal.record;

/**
 * Under which claim a use is, as this node was told.
 *
 * @param epoch the epoch of the claim; 0 when there is none
 * @param confirmed whether it was current when this node asked for it once
 */
public record ClaimMark(long epoch, boolean confirmed) {

  /** The mark of a use without a claim. */
  public static final ClaimMark NONE = new ClaimMark(0, false);

  /** Refuses what is no epoch. */
  public ClaimMark {
    if (epoch < 0 || (epoch == 0 && confirmed)) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
  }

  /** Whether there is a claim. */
  public boolean isClaimed() {
    return epoch > 0;
  }

  /** Returns the mark when the use is wanted under this claim; a lower epoch changes nothing. */
  public ClaimMark wanted(long newer) {
    return newer > epoch ? new ClaimMark(newer, false) : this;
  }

  /** Whether this claim was confirmed here before. */
  public boolean wasConfirmed(long other) {
    return confirmed && epoch == other;
  }
}
