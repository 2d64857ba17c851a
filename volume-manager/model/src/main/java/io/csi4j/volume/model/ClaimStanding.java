package io.csi4j.volume.model;

import java.util.Objects;

/** What a claim that a node was given is worth by now. */
public sealed interface ClaimStanding {

  /** The workload has it, as it was given. */
  record Current() implements ClaimStanding {}

  /**
   * It is proven to be over for this node: it was given back, or taken on with proof, or granted
   * anew since. Nothing may be mounted with it, and what is must go.
   *
   * @param epoch the highest epoch that a claim of the volume has had by now
   */
  record Stale(long epoch) implements ClaimStanding {}

  /** It is on its way back, and the node may still be at it. Nothing more is mounted with it. */
  record Leaving() implements ClaimStanding {}

  /** Nobody knows of it: it was removed by hand, or its store lost it. */
  record Missing() implements ClaimStanding {}

  /**
   * Nobody can be asked.
   *
   * @param because why, as a clause for people
   */
  record Unknown(Clause because) implements ClaimStanding {

    /** Checks that it is there. */
    public Unknown {
      Objects.requireNonNull(because, "because");
    }
  }
}
