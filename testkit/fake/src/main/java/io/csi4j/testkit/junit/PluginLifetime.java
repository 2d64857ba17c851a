package io.csi4j.testkit.junit;

/**
 * The time for which a plugin of a test runs.
 *
 * @since 1.0
 */
public enum PluginLifetime {
  /** For one test: each has a plugin of its own. */
  METHOD,
  /**
   * For the class that carries the annotation, and those nested in it: its tests share a plugin,
   * and what they leave behind is looked at when the last has ended.
   */
  CLASS
}
