package io.csi4j.volume.model;

/** A permission that permits every use. */
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
