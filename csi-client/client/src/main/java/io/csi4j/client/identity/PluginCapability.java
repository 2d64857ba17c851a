package io.csi4j.client.identity;

import io.csi4j.client.model.Experimental;

/**
 * One thing that a plugin as a whole can do.
 *
 * @since 1.0
 */
public enum PluginCapability {
  /** The plugin serves the controller service. */
  CONTROLLER_SERVICE,
  /** Its volumes may be out of reach of some nodes, so topology has to be observed. */
  VOLUME_ACCESSIBILITY_CONSTRAINTS,
  /** The plugin serves the group controller service. */
  GROUP_CONTROLLER_SERVICE,
  /** The plugin serves the snapshot metadata service. */
  @Experimental
  SNAPSHOT_METADATA_SERVICE,
  /**
   * Its snapshots may be out of reach of some places, so topology has to be observed when a volume
   * is made from one.
   */
  @Experimental
  SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
  /** Its volumes can grow while they are published. */
  VOLUME_EXPANSION_ONLINE,
  /** Its volumes can grow while no node has them. */
  VOLUME_EXPANSION_OFFLINE
}
