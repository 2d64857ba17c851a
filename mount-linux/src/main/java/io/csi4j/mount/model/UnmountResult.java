package io.csi4j.mount.model;

import java.util.Optional;

/**
 * How an unmount went.
 *
 * @param step what did it
 * @param mount the mount that was taken away by this call, if any
 * @param attempts how many times the kernel was asked
 * @param deviceMayBeBusy whether this mount may still keep its device in use. False says nothing of
 *     other mounts of the same device, which {@link io.csi4j.mount.Mounts#whoHolds} finds
 * @since 1.0
 */
public record UnmountResult(
    Step step, Optional<MountRef> mount, int attempts, boolean deviceMayBeBusy) {

  /** The step that did it. */
  public enum Step {
    /** Nothing: no mount was there. */
    NOT_MOUNTED,
    /** A plain unmount. */
    PLAIN,
    /** A plain unmount, after the server was given up. */
    FORCED,
    /** The mount was taken out of sight; who uses it still does. */
    LAZY
  }
}
