package io.csi4j.volume.model;

/** A permission that allows every use of every volume. */
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
