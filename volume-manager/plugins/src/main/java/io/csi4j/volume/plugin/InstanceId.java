package io.csi4j.volume.plugin;

import io.csi4j.volume.internal.names.Names;

/**
 * The name that a host gives to one running instance of a plugin, such as the name of the
 * instance's task or container. Each start of the plugin has a new name.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record InstanceId(String value) implements Comparable<InstanceId> {

  /** The name for the only instance of a plugin, for hosts that do not name instances. */
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
