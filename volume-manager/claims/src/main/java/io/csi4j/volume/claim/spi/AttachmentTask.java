package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume to attach to a node, or to detach from it.
 *
 * @param volume the volume
 * @param nodeId the plugin's id of the node
 * @param use the use of the volume by all its holders
 * @param readonly whether that node only reads; for plugins that support it
 * @param options the complete mount options on that node; empty for a block device, for the
 *     volume's own options, and for detaching
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

  /** A task without mount options: the volume's own options apply, or it is detached. */
  public AttachmentTask(VolumeKey volume, NodeId nodeId, Claim.Use use, boolean readonly) {
    this(volume, nodeId, use, readonly, Optional.empty());
  }
}
