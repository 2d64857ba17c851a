package io.csi4j.volume.internal.path;

import io.csi4j.mount.model.MountPath;

/**
 * Something about a path that an operator should know of, and that is no obstacle.
 *
 * @param kind what
 * @param path where
 * @param text what was seen and what to do: a clause
 */
public record Finding(Kind kind, MountPath path, String text) {

  /** The kinds of findings. */
  public enum Kind {
    /** A file or directory was open to others, and is not any more. */
    MODE_FIXED,
    /** The filesystem promises too little. */
    ROOT_FS_UNSUITED,
    /** Paths have more bytes than every plugin has to take. */
    PLUGIN_PATH_BUDGET,
    /** The root, or what we keep in it, was gone and was made again. */
    ROOT_VANISHED,
    /** An identity file was missing or damaged, and was written again. */
    SIDECAR_REPAIRED
  }
}
