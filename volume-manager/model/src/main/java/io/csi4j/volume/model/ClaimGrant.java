package io.csi4j.volume.model;

import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeCapability;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume that a node may use for a workload. The node checks that the epoch is current before it
 * stages the volume and before it publishes it.
 *
 * @param usage the volume and the workload
 * @param node the node
 * @param epoch the epoch of the claim
 * @param mode whether the workload only reads, or also writes
 * @param context the publish context that the storage system returned for the node; empty if the
 *     volume need not be attached
 * @param capability the capability that was sent to the storage system; calls to the node's plugin
 *     must use the same capability. Empty if the claim does not specify how the volume is mounted
 * @param contextChanged whether the storage system returned a different context when the volume was
 *     attached again. Existing mounts keep the former context; the new context is used after they
 *     are unmounted
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

  /** Checks that all parts are set, and that the epoch is valid. */
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

  /** Creates a grant that does not specify how the volume is mounted. */
  public ClaimGrant(
      VolumeUse usage, NodeName node, long epoch, ClaimMode mode, PublishContext context) {
    this(usage, node, epoch, mode, context, Optional.empty(), false);
  }
}
