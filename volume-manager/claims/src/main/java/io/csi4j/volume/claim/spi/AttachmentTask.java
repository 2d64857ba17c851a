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
 * @param nodeId the node, as the plugin names it
 * @param use how the volume is used by all who hold it
 * @param readonly whether that node may only read; for plugins that can be told so
 * @param options how it is mounted there, in full; nothing for a block device, where it is as the
 *     volume says, and where it is detached
 * @since 1.0
 */
public record AttachmentTask(
    VolumeKey volume,
    NodeId nodeId,
    Claim.Use use,
    boolean readonly,
    Optional<MountOptions> options) {

  /** Checks that all parts are there. */
  public AttachmentTask {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(options, "options");
  }

  /** One that is mounted as the volume says, or not any more. */
  public AttachmentTask(VolumeKey volume, NodeId nodeId, Claim.Use use, boolean readonly) {
    this(volume, nodeId, use, readonly, Optional.empty());
  }
}
