package io.csi4j.volume.claim;

import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.OperatorCode;
import java.util.Objects;
import java.util.Optional;

/** What the rules say to a change of a claim. */
public sealed interface ClaimDecision {

  /**
   * It may be done.
   *
   * @param next the claim after it
   * @param changes whether that is another one than before; if not, it was done already
   */
  record Granted(Claim next, boolean changes) implements ClaimDecision {}

  /**
   * It may not be done.
   *
   * @param code why
   * @param holder who is in the way, where it is somebody
   * @param because why, as a clause for people
   */
  record Refused(OperatorCode code, Optional<ClaimHolder> holder, Clause because)
      implements ClaimDecision {

    /** Checks that all parts are there. */
    public Refused {
      Objects.requireNonNull(code, "code");
      Objects.requireNonNull(holder, "holder");
      Objects.requireNonNull(because, "because");
    }
  }
}
