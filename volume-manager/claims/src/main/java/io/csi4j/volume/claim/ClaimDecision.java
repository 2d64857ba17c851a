package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import java.util.Objects;
import java.util.Optional;

/**
 * The decision of the rules about a change of a claim.
 *
 * @since 1.0
 */
public sealed interface ClaimDecision {

  /**
   * The change may be made.
   *
   * @param next the claim after the change
   * @param changes whether the claim is changed; false if the requested change had already been
   *     made
   */
  record Granted(Claim next, boolean changes) implements ClaimDecision {}

  /**
   * The change may not be made.
   *
   * @param code the reason
   * @param holder the holder that prevents the change, if a holder prevents it
   * @param because the reason, as a clause for display
   */
  record Refused(OperatorCode code, Optional<ClaimHolder> holder, ReasonText because)
      implements ClaimDecision {

    /** Checks that all parts are present. */
    public Refused {
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(holder, "holder");
      Objects.requireNonNull(because, "because");
    }
  }
}
