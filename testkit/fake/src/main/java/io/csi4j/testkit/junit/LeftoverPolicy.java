package io.csi4j.testkit.junit;

/**
 * Decides whether a test that leaves something behind fails.
 *
 * @since 1.0
 */
public enum LeftoverPolicy {
  /** The test fails if anything is left. */
  FAIL,
  /** Volumes may stay attached, staged and published; anything else fails the test. */
  ALLOW_VOLUMES,
  /** The test may leave anything; the plugin is closed nevertheless. */
  ALLOW
}
