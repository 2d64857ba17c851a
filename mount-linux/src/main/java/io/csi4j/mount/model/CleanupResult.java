package io.csi4j.mount.model;

import java.util.List;
import java.util.Optional;

/**
 * The result of {@link io.csi4j.mount.Mounts#cleanup}.
 *
 * @param outcome how it ended
 * @param unmounted the unmounts that took mounts away, in their order
 * @param problem why it is still mounted, if it is
 * @since 1.0
 */
public record CleanupResult(
    Outcome outcome, List<UnmountResult> unmounted, Optional<MountException> problem) {

  /** How it ended. */
  public enum Outcome {
    /** Nothing is mounted there, and the one empty directory or file is gone. */
    REMOVED,
    /** Nothing is mounted there; the directory holds something, and all of it is still there. */
    NOT_EMPTY,
    /** The path is still mounted, and nothing was removed. */
    STILL_MOUNTED,
    /** There was nothing. */
    MISSING
  }

  /** Copies the list. */
  public CleanupResult {
    unmounted = List.copyOf(unmounted);
  }
}
