package io.csi4j.volume.upkeep;

/**
 * The answer to drift without a person. By default nothing: an attachment that is not known here
 * may well belong to another.
 *
 * @param attachesAgain whether what a claim needs is attached again
 * @param detachesUnknown whether what no claim needs is detached
 * @since 1.0
 */
public record DriftPolicy(boolean attachesAgain, boolean detachesUnknown) {

  /** Only tells. */
  public static DriftPolicy reportOnly() {
    return new DriftPolicy(false, false);
  }

  /** Whether something is to be done about it. What is wrong with a volume is for people only. */
  boolean allows(Drift drift) {
    return (drift instanceof Drift.LostAttachment && attachesAgain)
        || (drift instanceof Drift.UnknownAttachment && detachesUnknown);
  }
}
