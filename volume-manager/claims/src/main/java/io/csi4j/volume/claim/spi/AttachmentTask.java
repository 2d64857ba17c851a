package io.csi4j.volume.claim.spi;

import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;

/**
 * What is to be attached or detached.
 *
 * @param volume the volume
 * @param nodeId the node, as the plugin names it
 * @param use how the volume is used by all who hold it
 * @param readonly whether that node may only read; for plugins that can be told so
 */
public record AttachmentTask(VolumeKey volume, NodeId nodeId, Claim.Use use, boolean readonly) {

  /** Checks that all parts are there. */
  public AttachmentTask {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(use, "use");
  }
}
