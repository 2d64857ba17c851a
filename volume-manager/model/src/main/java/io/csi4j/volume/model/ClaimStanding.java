package io.csi4j.volume.model;

import java.util.Objects;

/**
 * The current validity of a claim that was granted to a node.
 *
 * @since 1.0
 */
public sealed interface ClaimStanding {

  /** The claim is valid as granted. */
  record Current() implements ClaimStanding {}

  /**
   * The claim is proven to have ended for this node. Either it was released, or its release has
   * advanced with proof, or the volume was granted again with a later epoch. The node must not
   * mount the volume with this claim, and must unmount existing mounts.
   *
   * @param epoch the highest epoch that any claim of the volume has had so far
   */
  record Stale(long epoch) implements ClaimStanding {}

  /**
   * The claim is being released. Existing mounts on the node may stay for now, but the node makes
   * no new mounts with this claim.
   */
  record Leaving() implements ClaimStanding {}

  /** The claim is unknown: it was removed manually, or its store lost it. */
  record Missing() implements ClaimStanding {}

  /**
   * The store of the claims could not be read.
   *
   * @param because the reason, as a clause that people can read
   */
  record Unknown(ReasonText because) implements ClaimStanding {

    /** Checks that the reason is set. */
    public Unknown {
      Objects.requireNonNull(because, "because");
    }
  }
}
