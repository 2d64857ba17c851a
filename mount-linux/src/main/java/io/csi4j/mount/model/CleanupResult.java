package io.csi4j.mount.model;

import java.util.List;
import java.util.Optional;

/**
 * The result of {@link io.csi4j.mount.Mounts#cleanup}.
 *
 * @param outcome the outcome
 * @param unmounted the unmounts that removed mounts, in their order
 * @param problem why the path is still mounted, if it is
 * @since 1.0
 */
public record CleanupResult(
    Outcome outcome, List<UnmountResult> unmounted, Optional<MountException> problem) {

  /** The outcomes of a cleanup. */
  public enum Outcome {
    /** Nothing is mounted there, and the one empty directory or file is removed. */
    REMOVED,
    /** Nothing is mounted there; the directory is not empty, and nothing in it was removed. */
    NOT_EMPTY,
    /** The path is still mounted, and nothing was removed. */
    STILL_MOUNTED,
    /** Nothing existed at the path. */
    MISSING
  }

  /** Copies the list. */
  public CleanupResult {
    unmounted = List.copyOf(unmounted);
  }
}
