package io.csi4j.conformance;

import io.csi4j.conformance.claims.ClaimStoreCheck;
import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.conformance.internal.claims.AllChecks;
import java.util.List;

/**
 * The promises of every {@link io.csi4j.volume.claim.spi.ClaimStore}, as a list of checks. With
 * JUnit, make a dynamic test of each, with its name and {@link ClaimStoreCheck#run()}.
 *
 * @since 1.0
 */
public final class ClaimStoreChecks {

  private ClaimStoreChecks() {}

  /** The checks for the stores of this fixture, in an order that is always the same. */
  public static List<ClaimStoreCheck> of(ClaimStoreFixture fixture) {
    return AllChecks.of(fixture);
  }
}
