package io.csi4j.mount.model;

import java.util.OptionalLong;

/**
 * A change of the mount table, as {@link io.csi4j.mount.MountWatch} tells it.
 *
 * @since 1.0
 */
public sealed interface MountEvent {

  /**
   * A mount that was not there before.
   *
   * @param mount the mount
   * @param actor the process that made it, where the kernel tells
   */
  record Attached(MountRecord mount, OptionalLong actor) implements MountEvent {}

  /**
   * A mount that is not there any more.
   *
   * @param mount the mount, as it was last seen
   * @param actor the process that took it away, where the kernel tells
   */
  record Detached(MountRecord mount, OptionalLong actor) implements MountEvent {}

  /**
   * A mount that is there with other flags, another propagation or at another path. The kernel says
   * nothing when propagation changes or a directory above is renamed: those are told after the next
   * change of anything else.
   *
   * @param before the mount, as it was last seen
   * @param now the mount, as it is
   */
  record Changed(MountRecord before, MountRecord now) implements MountEvent {}

  /**
   * Events were lost. What is there now is told here; attached and detached events of what was
   * missed do not follow.
   *
   * @param now the whole table
   */
  record Resync(MountSnapshot now) implements MountEvent {}
}
