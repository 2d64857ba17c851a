package io.csi4j.volume.model;

import java.util.Objects;

/**
 * Names one claim: that of a use, on a node, with this epoch. A node asks with it whether the claim
 * is current; a control plane names with it a claim whose volume the node has to give back.
 *
 * @param node the machine
 * @param usage the volume and the workload
 * @param epoch the epoch of the claim
 * @since 1.0
 */
public record ClaimEpoch(NodeName node, VolumeUse usage, long epoch) {

  /** Checks that all parts are there, and the epoch. */
  public ClaimEpoch {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(usage, "usage");
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
  }

  /** Returns the name of the claim that was granted. */
  public static ClaimEpoch of(ClaimGrant grant) {
    return new ClaimEpoch(grant.node(), grant.usage(), grant.epoch());
  }
}
