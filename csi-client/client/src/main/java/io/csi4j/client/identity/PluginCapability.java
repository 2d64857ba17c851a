package io.csi4j.client.identity;

import io.csi4j.client.model.Experimental;

/**
 * A capability of a plugin as a whole.
 *
 * @since 1.0
 */
public enum PluginCapability {
  /** The plugin serves the controller service. */
  CONTROLLER_SERVICE,
  /** Volumes may be inaccessible from some nodes, so topology must be observed. */
  VOLUME_ACCESSIBILITY_CONSTRAINTS,
  /** The plugin serves the group controller service. */
  GROUP_CONTROLLER_SERVICE,
  /** The plugin serves the snapshot metadata service. */
  @Experimental
  SNAPSHOT_METADATA_SERVICE,
  /**
   * Snapshots may be inaccessible from some places, so topology must be observed when a volume is
   * created from a snapshot.
   */
  @Experimental
  SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
  /** Volumes can grow while they are published. */
  VOLUME_EXPANSION_ONLINE,
  /** Volumes can grow while they are not published on any node. */
  VOLUME_EXPANSION_OFFLINE
}
