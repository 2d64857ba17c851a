package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.ClaimStanding;

/** How the worth of a claim is told. */
public final class ClaimWords {

  private ClaimWords() {}

  /** As a clause. */
  public static String of(ClaimStanding standing, long epoch) {
    String claim = "its claim has epoch " + epoch;
    if (standing instanceof ClaimStanding.Stale stale) {
      return claim
          + (stale.epoch() > epoch
              ? ", and the volume's is " + stale.epoch() + " by now"
              : ", and was given back or taken on since");
    } else if (standing instanceof ClaimStanding.Leaving) {
      return claim + ", and is on its way back";
    } else if (standing instanceof ClaimStanding.Missing) {
      return claim + ", and the store knows nothing of it";
    } else if (standing instanceof ClaimStanding.Unknown unknown) {
      return claim + ", and nobody confirms it: " + unknown.because().text();
    }
    return claim + ", and is current";
  }
}
