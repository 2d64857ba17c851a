package io.csi4j.testkit.junit;

/**
 * The fate of a test that leaves something behind.
 *
 * @since 1.0
 */
public enum LeftoverPolicy {
  /** The test fails if anything is left. */
  FAIL,
  /** Volumes may stay attached, staged and published; nothing else may be left. */
  ALLOW_VOLUMES,
  /** Anything may be left; the plugin is closed all the same. */
  ALLOW
}
