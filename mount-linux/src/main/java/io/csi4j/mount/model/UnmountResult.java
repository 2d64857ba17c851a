package io.csi4j.mount.model;

import java.util.Optional;

/**
 * The result of an unmount.
 *
 * @param step the step that succeeded
 * @param mount the mount that this call unmounted, if any
 * @param attempts the number of calls to the kernel
 * @param deviceMayBeBusy whether this mount may still keep its device in use. False says nothing
 *     about other mounts of the same device, which {@link io.csi4j.mount.Mounts#whoHolds} finds
 * @since 1.0
 */
public record UnmountResult(
    Step step, Optional<MountRef> mount, int attempts, boolean deviceMayBeBusy) {

  /** The steps of an unmount. */
  public enum Step {
    /** None: nothing was mounted. */
    NOT_MOUNTED,
    /** A plain unmount. */
    PLAIN,
    /** A plain unmount, after the server was given up. */
    FORCED,
    /** The mount was detached; its users keep using it. */
    LAZY
  }
}
