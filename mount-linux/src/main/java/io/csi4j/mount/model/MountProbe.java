package io.csi4j.mount.model;

/**
 * The finding at a path.
 *
 * @since 1.0
 */
public sealed interface MountProbe {

  /** There is nothing at the path. */
  record Missing() implements MountProbe {}

  /** There is something at the path, and nothing is mounted on it. */
  record NotAMount() implements MountProbe {}

  /**
   * A mount.
   *
   * @param ref which one; if several are stacked, the one on top
   * @param health what can be told of it without asking it
   */
  record Mounted(MountRef ref, MountHealth health) implements MountProbe {}

  /** Whether a mount was found. */
  default boolean isMount() {
    return this instanceof Mounted;
  }
}
