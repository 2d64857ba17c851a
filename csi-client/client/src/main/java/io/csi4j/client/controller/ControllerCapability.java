package io.csi4j.client.controller;

import io.csi4j.client.model.Experimental;

/**
 * A capability of the controller service of a plugin.
 *
 * @since 1.0
 */
public enum ControllerCapability {
  /** Volumes can be created and deleted. */
  CREATE_DELETE_VOLUME(1),
  /** Volumes must be attached to nodes before use, and detached afterwards. */
  PUBLISH_UNPUBLISH_VOLUME(2),
  /** Volumes can be listed. */
  LIST_VOLUMES(3),
  /** The free capacity can be read. */
  GET_CAPACITY(4),
  /** Snapshots can be created and deleted, and volumes can be created from them. */
  CREATE_DELETE_SNAPSHOT(5),
  /** Snapshots can be listed. */
  LIST_SNAPSHOTS(6),
  /** Volumes can be created as clones of other volumes. */
  CLONE_VOLUME(7),
  /** Volumes can be attached read-only. */
  PUBLISH_READONLY(8),
  /** Volumes can be grown. */
  EXPAND_VOLUME(9),
  /** Listed volumes include the nodes that they are attached to. */
  LIST_VOLUMES_PUBLISHED_NODES(10),
  /** Listed volumes include their condition. Plugins for CSI 1.12 and older offer it. */
  @Experimental
  VOLUME_CONDITION(11),
  /** A single volume can be read. */
  @Experimental
  GET_VOLUME(12),
  /** The plugin distinguishes the two access modes for a single node. */
  @Experimental
  SINGLE_NODE_MULTI_WRITER(13),
  /** Parameters of volumes can be changed. */
  MODIFY_VOLUME(14),
  /** A single snapshot can be read. */
  @Experimental
  GET_SNAPSHOT(15),
  /** The health of a single volume can be read. Plugins for CSI 1.13 and newer offer it. */
  @Experimental
  GET_VOLUME_HEALTH(16),
  /**
   * Volumes with health problems can be listed, and the health of a single volume can be read.
   * Plugins for CSI 1.13 and newer offer it.
   */
  @Experimental
  LIST_VOLUME_HEALTH(17);

  private final int number;

  ControllerCapability(int number) {
    this.number = number;
  }

  /** The number of the capability on the wire. */
  public int number() {
    return number;
  }
}
