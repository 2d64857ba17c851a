package io.csi4j.volume.model;

import io.csi4j.volume.internal.names.Names;

/**
 * The host's name for a plugin. A host should use the plugin's own name, because paths are derived
 * from it.
 *
 * @param value the name; not empty, without control characters
 * @since 1.0
 */
public record PluginId(String value) implements Comparable<PluginId> {

  /** Rejects a value that is not a valid name. */
  public PluginId {
    Names.check("plugin id", value);
  }

  /** Returns the plugin id with this text. */
  public static PluginId of(String value) {
    return new PluginId(value);
  }

  @Override
  public int compareTo(PluginId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
