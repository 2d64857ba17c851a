package io.csi4j.testkit.junit;

/**
 * The leftovers that a test may leave without failing: volumes in use, calls in flight, and
 * resources of the plugin.
 *
 * @since 1.0
 */
public enum LeftoverPolicy {
  /** The test fails if it leaves anything behind. */
  FAIL,
  /**
   * The test may leave volumes attached, staged and published. Any other leftover fails the test.
   */
  ALLOW_VOLUMES,
  /** The test may leave anything behind. The plugin is still closed after the test. */
  ALLOW
}
