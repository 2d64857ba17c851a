package io.csi4j.volume.model;

import java.util.Objects;

/**
 * The identity of one claim: its node, its use of a volume, and its epoch. A node sends this
 * identity to query whether the claim is current. A control plane sends it to name a claim whose
 * volume the node must release.
 *
 * @param node the node
 * @param usage the volume and the workload
 * @param epoch the epoch of the claim
 * @since 1.0
 */
public record ClaimEpoch(NodeName node, VolumeUse usage, long epoch) {

  /** Checks that all parts are set, and that the epoch is valid. */
  public ClaimEpoch {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(usage, "usage");
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
  }

  /** Returns the identity of a granted claim. */
  public static ClaimEpoch of(ClaimGrant grant) {
    return new ClaimEpoch(grant.node(), grant.usage(), grant.epoch());
  }
}
