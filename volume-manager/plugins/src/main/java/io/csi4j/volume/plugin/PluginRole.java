package io.csi4j.volume.plugin;

import java.util.EnumSet;
import java.util.Set;

/**
 * The roles of an instance of a plugin.
 *
 * @since 1.0
 */
public enum PluginRole {
  /** The instance serves volumes on the node on which it runs. */
  NODE,
  /** The instance controls the storage system as a whole. */
  CONTROLLER;

  /**
   * Returns the roles for a configuration value: {@code node}, {@code controller}, or {@code
   * monolith} for both roles.
   */
  public static Set<PluginRole> parse(String word) {
    return switch (word) {
      case "node" -> EnumSet.of(NODE);
      case "controller" -> EnumSet.of(CONTROLLER);
      case "monolith" -> EnumSet.allOf(PluginRole.class);
      default ->
          throw new IllegalArgumentException(
              "A plugin is a node, a controller or a monolith; the given value is none of them. "
                  + "Use one of the three.");
    };
  }
}
