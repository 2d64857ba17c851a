package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeCondition;
import java.util.List;
import java.util.Optional;

/**
 * A volume and where it is.
 *
 * @since 1.0
 */
public interface VolumeEntry {

  /** The volume. */
  Volume volume();

  /**
   * The nodes it is attached to. Says something only with LIST_VOLUMES_PUBLISHED_NODES, and may
   * name unknown nodes.
   */
  List<NodeId> publishedNodes();

  /** Whether it is fully usable; nothing means unknown. */
  @Experimental
  Optional<VolumeCondition> condition();
}
