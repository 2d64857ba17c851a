package io.csi4j.mount.model;

/**
 * The fate of a mount that a {@link MountRef} was taken of.
 *
 * @since 1.0
 */
public sealed interface RefCheck {

  /** The mount is where it was. Something may be mounted on top of it. */
  record Present() implements RefCheck {}

  /** The mount is not there any more, nor is another mount at its path. */
  record Gone() implements RefCheck {}

  /**
   * The mount is not there any more, and another mount is at its path.
   *
   * @param by the other one
   */
  record Replaced(MountRef by) implements RefCheck {}

  /**
   * The mount is there, at another path.
   *
   * @param to where it is now
   */
  record Moved(MountRef to) implements RefCheck {}
}
