package io.csi4j.volume.model;

/**
 * The outcome of a change of a claim or of a storage system that was not made as asked: the next
 * step of the caller.
 *
 * @since 1.0
 */
public enum ChangeOutcome {
  /**
   * The change was not made, and the same request is refused again: change the request, or what is
   * in its way.
   */
  REFUSED,
  /** The change was not made: ask again later. */
  UNAVAILABLE,
  /** The change may be made or not: ask again; a repeated request does no harm. */
  UNCERTAIN,
  /** The change was not made, and none is made before a person has looked. */
  HELD
}
