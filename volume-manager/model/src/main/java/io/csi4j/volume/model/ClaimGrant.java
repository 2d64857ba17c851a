package io.csi4j.volume.model;

import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume that a node may use for a workload. The node confirms the epoch before it stages and
 * before it publishes.
 *
 * @param usage the volume and the workload
 * @param node the machine
 * @param epoch the epoch of the claim
 * @param mode what the workload does with it
 * @param context what the storage system said the node needs; empty where it need not attach
 * @param capability how the volume is used, as the storage system was told: the calls to the node
 *     have to be made with the same. Nothing where the claim does not say how it is mounted
 * @param contextChanged whether the storage system returned another context than before when the
 *     volume was attached again: what is mounted with the former one stays so, and is not mounted
 *     with this one before it was unmounted
 * @since 1.0
 */
public record ClaimGrant(
    VolumeUse usage,
    NodeName node,
    long epoch,
    ClaimMode mode,
    PublishContext context,
    Optional<VolumeCapability> capability,
    boolean contextChanged) {

  /** Checks that all parts are there, and the epoch. */
  public ClaimGrant {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(context, "context");
    Objects.requireNonNull(capability, "capability");
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
  }

  /** One that does not say how the volume is mounted. */
  public ClaimGrant(
      VolumeUse usage, NodeName node, long epoch, ClaimMode mode, PublishContext context) {
    this(usage, node, epoch, mode, context, Optional.empty(), false);
  }
}
