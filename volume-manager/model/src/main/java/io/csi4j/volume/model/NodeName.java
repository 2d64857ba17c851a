package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The host's name for a machine. It is not the node id that a plugin reports.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record NodeName(String value) implements Comparable<NodeName> {

  /** Rejects a value that is not a valid name. */
  public NodeName {
    Names.check("node name", value);
  }

  /** Returns the node name with this text. */
  public static NodeName of(String value) {
    return new NodeName(value);
  }

  @Override
  public int compareTo(NodeName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
