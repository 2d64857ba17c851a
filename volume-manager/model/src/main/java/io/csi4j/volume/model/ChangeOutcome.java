package io.csi4j.volume.model;

/**
 * The outcome of a failed change of a claim or of a storage system. It determines what the caller
 * should do next.
 *
 * @since 1.0
 */
public enum ChangeOutcome {
  /**
   * The change was not made, and a repeated request would be refused again. Change the request, or
   * remove the obstacle.
   */
  REFUSED,
  /** The change was not made. Repeat the request later. */
  UNAVAILABLE,
  /** The change may have been made. Repeat the request, which is safe. */
  UNCERTAIN,
  /** The change was not made, and csi4j makes no further attempt until a person has intervened. */
  HELD
}
