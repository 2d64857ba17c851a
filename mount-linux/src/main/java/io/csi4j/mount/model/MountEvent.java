package io.csi4j.mount.model;

import java.util.OptionalLong;

/**
 * A change of the mount table, as {@link io.csi4j.mount.MountWatch} reports it.
 *
 * @since 1.0
 */
public sealed interface MountEvent {

  /**
   * A new mount.
   *
   * @param mount the mount
   * @param actor the process that made it, if the kernel reports it
   */
  record Attached(MountRecord mount, OptionalLong actor) implements MountEvent {}

  /**
   * A mount that is gone.
   *
   * @param mount the mount, as it was last seen
   * @param actor the process that unmounted it, if the kernel reports it
   */
  record Detached(MountRecord mount, OptionalLong actor) implements MountEvent {}

  /**
   * A mount with other flags, another propagation or another path than before. The kernel does not
   * report a change of propagation or a renamed parent directory: these are reported after the next
   * other change.
   *
   * @param before the mount, as it was last seen
   * @param now the present mount
   */
  record Changed(MountRecord before, MountRecord now) implements MountEvent {}

  /**
   * Events were lost. This event has the present table; no attached and detached events follow for
   * the missed changes.
   *
   * @param now the whole table
   */
  record Resync(MountSnapshot now) implements MountEvent {}
}
