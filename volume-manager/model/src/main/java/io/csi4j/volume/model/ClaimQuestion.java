package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A node's query about one of its claims. A control plane of another cluster may have different
 * claims with the same names, so it must not answer.
 *
 * @param claim the claim
 * @param cluster the identity of the node's cluster, if the node knows it
 * @since 1.0
 */
public record ClaimQuestion(ClaimEpoch claim, Optional<String> cluster) {

  /** Checks that both parts are set. */
  public ClaimQuestion {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(cluster, "cluster");
  }

  /** Returns the query of a node that does not know the identity of its cluster. */
  public static ClaimQuestion of(ClaimEpoch claim) {
    return new ClaimQuestion(claim, Optional.empty());
  }
}
