package io.csi4j.volume.claim.spi;

import io.csi4j.volume.claim.Claim;
import java.util.Objects;
import java.util.Optional;

/**
 * A claim as a store has it.
 *
 * @param claim the claim
 * @param version which write of it that is
 * @param by the mark of that write; nothing exactly when it was never written
 * @since 1.0
 */
public record Versioned(Claim claim, ClaimVersion version, Optional<WriteToken> by) {

  /** Checks that all parts are there, and fit. */
  public Versioned {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(version, "version");
    if (by.isEmpty() != version.equals(ClaimVersion.NEVER)) {
      throw new IllegalArgumentException("A claim that was written has the mark of its write.");
    }
  }
}
