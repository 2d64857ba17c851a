package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.fields.UnknownFields;
import java.util.Objects;
import java.util.Optional;

/**
 * A claim as it is remembered.
 *
 * @param claim the claim
 * @param by the mark of its write
 * @param version which write that was; {@link ClaimVersion#NEVER} where the store counts them
 *     beside the bytes
 * @param unknown the fields of a newer version; they are kept when the claim is written again
 */
public record ClaimRecord(Claim claim, WriteToken by, ClaimVersion version, UnknownFields unknown) {

  /** Checks that all parts are there. */
  public ClaimRecord {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(unknown, "unknown");
  }

  /** A claim whose version is counted beside the bytes. */
  public static ClaimRecord of(Claim claim, WriteToken by, UnknownFields unknown) {
    return new ClaimRecord(claim, by, ClaimVersion.NEVER, unknown);
  }

  /** The claim as a store shows it, with the version that was counted beside the bytes. */
  public Versioned at(ClaimVersion counted) {
    return new Versioned(claim, counted, Optional.of(by));
  }

  /** The claim as a store shows it. */
  public Versioned versioned() {
    return at(version);
  }
}
