package io.csi4j.testkit.journal;

/**
 * The kind of file that existed at a path of the request when the call arrived.
 *
 * @since 1.0
 */
public enum PathFact {
  /**
   * The path was not checked: the plugin must not touch the filesystem, or the path is unusable.
   */
  UNKNOWN,
  /** No file, and the parent is missing as well. */
  PARENT_MISSING,
  /** No file, in a parent that exists. */
  MISSING,
  /** A directory. */
  DIRECTORY,
  /** A file of another kind. */
  OTHER
}
