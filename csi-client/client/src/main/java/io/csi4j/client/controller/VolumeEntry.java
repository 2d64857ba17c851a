package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeCondition;
import java.util.List;
import java.util.Optional;

/**
 * A listed volume with the nodes that it is attached to.
 *
 * @since 1.0
 */
public interface VolumeEntry {

  /** The volume. */
  Volume volume();

  /**
   * The nodes that the volume is attached to. Meaningful only for plugins with the capability
   * LIST_VOLUMES_PUBLISHED_NODES. The list may contain nodes that the host does not know.
   */
  List<NodeId> publishedNodes();

  /** The condition of the volume; empty if unknown. */
  @Experimental
  Optional<VolumeCondition> condition();
}
