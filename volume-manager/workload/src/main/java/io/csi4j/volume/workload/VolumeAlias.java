package io.csi4j.volume.workload;

import io.csi4j.volume.internal.names.Names;

/**
 * The name with which the tasks of a workload refer to a volume of the workload.
 *
 * @param value the name; not empty, without control characters
 * @since 1.0
 */
public record VolumeAlias(String value) implements Comparable<VolumeAlias> {

  /** Rejects a value that is not a valid name. */
  public VolumeAlias {
    Names.check("alias of a volume", value);
  }

  /** Returns the alias with this text. */
  public static VolumeAlias of(String value) {
    return new VolumeAlias(value);
  }

  @Override
  public int compareTo(VolumeAlias other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
