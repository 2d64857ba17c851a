package io.csi4j.testkit.junit;

/**
 * The lifetime of a test's plugin.
 *
 * @since 1.0
 */
public enum PluginLifetime {
  /** The lifetime is one test: each test has its own plugin. */
  METHOD,
  /**
   * The lifetime is the annotated class with its nested classes. The tests share a plugin, and
   * their leftovers are checked after the last test.
   */
  CLASS
}
