package io.csi4j.client.group;

/**
 * A capability of the group controller service of a plugin.
 *
 * @since 1.0
 */
public enum GroupControllerCapability {
  /** Group snapshots can be created, read and deleted. */
  CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT(1);

  private final int number;

  GroupControllerCapability(int number) {
    this.number = number;
  }

  /** The number of the capability on the wire. */
  public int number() {
    return number;
  }
}
