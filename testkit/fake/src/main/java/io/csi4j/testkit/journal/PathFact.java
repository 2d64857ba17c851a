package io.csi4j.testkit.journal;

/**
 * The thing at a path of the caller when its call came in.
 *
 * @since 1.0
 */
public enum PathFact {
  /**
   * The path was not looked at: the plugin is told not to touch the filesystem, or the path is
   * unusable.
   */
  UNKNOWN,
  /** Nothing, and its parent is missing as well. */
  PARENT_MISSING,
  /** Nothing, in a parent that exists. */
  MISSING,
  /** A directory. */
  DIRECTORY,
  /** Something else. */
  OTHER
}
