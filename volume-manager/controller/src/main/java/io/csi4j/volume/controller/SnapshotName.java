package io.csi4j.volume.controller;

import io.csi4j.volume.internal.names.Names;

/**
 * The name under which a snapshot is requested; each snapshot has a different one. A repeated
 * request with the same name finds the same snapshot; the name is not the id of the snapshot.
 *
 * @param value the name; every plugin accepts up to 128 bytes
 * @since 1.0
 */
public record SnapshotName(String value) {

  /** Rejects text that cannot be a name. */
  public SnapshotName {
    Names.check("name of a snapshot", value);
  }

  /** Returns this name. */
  public static SnapshotName of(String value) {
    return new SnapshotName(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
