package io.csi4j.volume.controller;

import io.csi4j.volume.internal.names.Names;

/**
 * The name under which a snapshot is asked for, another one for each that is wanted. The same name
 * again finds the same snapshot; it is no id.
 *
 * @param value the name; at most 128 bytes reach every plugin
 * @since 1.0
 */
public record SnapshotName(String value) {

  /** Rejects text that cannot be a name. */
  public SnapshotName {
    Names.check("name of a snapshot", value);
  }

  /** This name. */
  public static SnapshotName of(String value) {
    return new SnapshotName(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
