package io.csi4j.volume.model;

import io.csi4j.client.model.PublishContext;
import java.util.Objects;

/**
 * A volume that a node may use for a workload. The node confirms the epoch before it stages and
 * before it publishes.
 *
 * @param usage the volume and the workload
 * @param node the machine
 * @param epoch the epoch of the claim
 * @param mode what the workload does with it
 * @param context what the storage system said the node needs; empty where it need not attach
 */
public record ClaimGrant(
    UsageKey usage, NodeName node, long epoch, ClaimMode mode, PublishContext context) {

  /** Checks that all parts are there. */
  public ClaimGrant {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(context, "context");
  }
}
