package io.csi4j.volume.model;

import java.util.Objects;

/**
 * The present worth of a claim that a node was given.
 *
 * @since 1.0
 */
public sealed interface ClaimStanding {

  /** The workload has it, as it was given. */
  record Current() implements ClaimStanding {}

  /**
   * The claim is proven to be over for this node: it was given back, or taken on with proof, or
   * granted again since. Nothing may be mounted with it, and what is must go.
   *
   * @param epoch the highest epoch that a claim of the volume has had by now
   */
  record Stale(long epoch) implements ClaimStanding {}

  /**
   * The claim is on its way back, and the node may still be at it. Nothing more is mounted with it.
   */
  record Leaving() implements ClaimStanding {}

  /** The claim is not known: it was removed by hand, or its store lost it. */
  record Missing() implements ClaimStanding {}

  /**
   * The keeper cannot be asked.
   *
   * @param because the reason, as a clause for people
   */
  record Unknown(ReasonText because) implements ClaimStanding {

    /** Checks that it is there. */
    public Unknown {
      Objects.requireNonNull(because, "because");
    }
  }
}
