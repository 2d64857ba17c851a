package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;
import java.util.Optional;

/**
 * A request to attach a volume to a node, or to detach it from the node.
 *
 * @param volume the volume
 * @param nodeId the plugin's id of the node
 * @param use how the volume is used, which is the same for all its holders
 * @param readonly whether the node only reads; only some plugins support this
 * @param options the complete mount options on the node; empty for a block device, if the volume's
 *     own options apply, and for detaching
 * @since 1.0
 */
public record AttachmentTask(
    VolumeKey volume,
    NodeId nodeId,
    Claim.Use use,
    boolean readonly,
    Optional<MountOptions> options) {

  /** Checks that all parts are present. */
  public AttachmentTask {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(options, "options");
  }

  /** Creates a task without mount options, for detaching or if the volume's own options apply. */
  public AttachmentTask(VolumeKey volume, NodeId nodeId, Claim.Use use, boolean readonly) {
    this(volume, nodeId, use, readonly, Optional.empty());
  }
}
