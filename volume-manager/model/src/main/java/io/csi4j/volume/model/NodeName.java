package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The host's name of a machine; not the id that a plugin gives it.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record NodeName(String value) implements Comparable<NodeName> {

  /** Rejects text that cannot be a name. */
  public NodeName {
    Names.check("node name", value);
  }

  /** Returns the name with this text. */
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
