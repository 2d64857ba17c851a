package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The question of a node about one of its claims. A control plane of another cluster has other
 * claims under the same names, and must not answer.
 *
 * @param claim the claim
 * @param cluster the identity of the cluster that the node belongs to, once it knows one
 * @since 1.0
 */
public record ClaimQuestion(ClaimEpoch claim, Optional<String> cluster) {

  /** Checks that both parts are set. */
  public ClaimQuestion {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(cluster, "cluster");
  }

  /** Returns the question of a node that knows no identity of its cluster. */
  public static ClaimQuestion of(ClaimEpoch claim) {
    return new ClaimQuestion(claim, Optional.empty());
  }
}
