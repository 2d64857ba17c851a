package io.csi4j.client.model;

/**
 * One of the five services of CSI.
 *
 * @since 1.0
 */
public enum CsiService {
  /** The identity of the plugin; served on every endpoint. */
  IDENTITY("csi.v1.Identity"),
  /** Work that needs no particular node. */
  CONTROLLER("csi.v1.Controller"),
  /** Snapshots of several volumes at one moment. */
  GROUP_CONTROLLER("csi.v1.GroupController"),
  /** Which blocks a snapshot holds. */
  @Experimental
  SNAPSHOT_METADATA("csi.v1.SnapshotMetadata"),
  /** Work on the node where a volume is used. */
  NODE("csi.v1.Node");

  private final String fullName;

  CsiService(String fullName) {
    this.fullName = fullName;
  }

  /** Its name on the wire. */
  public String fullName() {
    return fullName;
  }
}
