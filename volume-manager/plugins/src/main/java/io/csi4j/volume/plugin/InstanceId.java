package io.csi4j.volume.plugin;

import io.csi4j.volume.internal.names.Names;

/**
 * The name under which a host knows one running instance of a plugin: of the task or container that
 * it runs in, another one with each start.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record InstanceId(String value) implements Comparable<InstanceId> {

  /** For a host that has one instance of each plugin and gives it no name. */
  public static final InstanceId ONLY = new InstanceId("only");

  /** Refuses what cannot be a name. */
  public InstanceId {
    Names.check("instance id of a plugin", value);
  }

  /** The one with this name. */
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
