package io.csi4j.testkit.junit;

/**
 * The lifetime of a test's plugin.
 *
 * @since 1.0
 */
public enum PluginLifetime {
  /** One test: each test has its own plugin. */
  METHOD,
  /**
   * The annotated class and its nested classes: the tests share a plugin, and their leftovers are
   * checked after the last test.
   */
  CLASS
}
