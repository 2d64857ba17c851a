package io.csi4j.volume.model;

/** The permission for everybody. */
enum Everybody implements VolumePermission {
  MAY;

  @Override
  public boolean permits(Request wish) {
    return true;
  }

  @Override
  public String toString() {
    return "everybody";
  }
}
