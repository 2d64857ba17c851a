package io.csi4j.testkit.junit;

/** What becomes of a test that leaves something behind. */
public enum LeftoverPolicy {
  /** It fails if anything is left. */
  FAIL,
  /** Volumes may stay attached, staged and published; nothing else may be left. */
  ALLOW_VOLUMES,
  /** Anything may be left; the plugin is closed all the same. */
  ALLOW
}
