package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import java.util.Objects;
import java.util.Optional;

/**
 * The word of the rules about a change of a claim.
 *
 * @since 1.0
 */
public sealed interface ClaimDecision {

  /**
   * The change may be made.
   *
   * @param next the claim after it
   * @param changes whether that is another one than before; if not, it was done already
   */
  record Granted(Claim next, boolean changes) implements ClaimDecision {}

  /**
   * The change may not be made.
   *
   * @param code the reason
   * @param holder the holder in the way, if there is one
   * @param because the reason, as a clause for people
   */
  record Refused(OperatorCode code, Optional<ClaimHolder> holder, ReasonText because)
      implements ClaimDecision {

    /** Checks that all parts are there. */
    public Refused {
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(holder, "holder");
      Objects.requireNonNull(because, "because");
    }
  }
}
