package io.csi4j.volume.model;

/**
 * The outcome of a failed change of a claim or of a storage system, which tells the caller what to
 * do next.
 *
 * @since 1.0
 */
public enum ChangeOutcome {
  /**
   * The change was not made, and a repeated request is refused again: change the request, or remove
   * the obstacle.
   */
  REFUSED,
  /** The change was not made: repeat the request later. */
  UNAVAILABLE,
  /** The change may have been made: repeat the request, which does no harm. */
  UNCERTAIN,
  /** The change was not made, and no attempt is made before a person has intervened. */
  HELD
}
