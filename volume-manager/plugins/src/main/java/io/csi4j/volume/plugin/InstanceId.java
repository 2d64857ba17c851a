package io.csi4j.volume.plugin;

import io.csi4j.volume.internal.names.Names;

/**
 * The name that a host gives to one running instance of a plugin, such as the name of its task or
 * container. Each start has another name.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record InstanceId(String value) implements Comparable<InstanceId> {

  /** The name for a host that has one instance of each plugin and gives it no name. */
  public static final InstanceId ONLY = new InstanceId("only");

  /** Refuses an invalid name. */
  public InstanceId {
    Names.check("instance id of a plugin", value);
  }

  /** Returns the instance with this name. */
  public static InstanceId of(String value) {
    return new InstanceId(value);
  }

  @Override
  public int compareTo(InstanceId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
