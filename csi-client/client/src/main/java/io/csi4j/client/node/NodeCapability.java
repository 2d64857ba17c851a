package io.csi4j.client.node;

import io.csi4j.client.model.Experimental;

/**
 * A capability of the node service of a plugin.
 *
 * @since 1.0
 */
public enum NodeCapability {
  /** Volumes must be staged before they are published. */
  STAGE_UNSTAGE_VOLUME(1),
  /** The space in use can be read. */
  GET_VOLUME_STATS(2),
  /** Filesystems can be grown on the node. */
  EXPAND_VOLUME(3),
  /** Statistics include the condition of the volume. Plugins for CSI 1.12 and older offer it. */
  @Experimental
  VOLUME_CONDITION(4),
  /** The plugin distinguishes the two access modes for a single node. */
  @Experimental
  SINGLE_NODE_MULTI_WRITER(5),
  /** The plugin can make a group the owner of the files of a volume. */
  VOLUME_MOUNT_GROUP(6),
  /** The health of a volume can be read. Plugins for CSI 1.13 and newer offer it. */
  @Experimental
  GET_VOLUME_HEALTH(7),
  /** The health of the storage can be read. Plugins for CSI 1.13 and newer offer it. */
  @Experimental
  GET_STORAGE_HEALTH(8);

  private final int number;

  NodeCapability(int number) {
    this.number = number;
  }

  /** The number of the capability on the wire. */
  public int number() {
    return number;
  }
}
