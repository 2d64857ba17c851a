package io.csi4j.volume.claim.kit;

import io.csi4j.volume.internal.claimkit.AllChecks;
import java.util.List;

/**
 * What every {@link io.csi4j.volume.claim.ClaimStore} promises, as a list of checks. With JUnit,
 * make a dynamic test of each, with its name and {@link ClaimStoreCheck#run()}.
 */
public final class ClaimStoreChecks {

  private ClaimStoreChecks() {}

  /** The checks for the stores of this fixture, in an order that is always the same. */
  public static List<ClaimStoreCheck> of(ClaimStoreFixture fixture) {
    return AllChecks.of(fixture);
  }
}
