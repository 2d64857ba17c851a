package io.csi4j.volume.workload;

import io.csi4j.mount.model.Propagation;

/**
 * The propagation of mounts below a volume between a task and its host.
 *
 * @since 1.0
 */
public enum MountPropagation {
  /** No propagation. */
  PRIVATE("private", Propagation.PRIVATE),
  /** The task sees later mounts of the host below the volume. */
  HOST_TO_TASK("host-to-task", Propagation.HOST_TO_CONTAINER),
  /** Task and host see each other's mounts: the task can change the mounts of the host. */
  BIDIRECTIONAL("bidirectional", Propagation.BIDIRECTIONAL);

  private final String word;
  private final Propagation kernel;

  MountPropagation(String word, Propagation kernel) {
    this.word = word;
    this.kernel = kernel;
  }

  /**
   * Returns the propagation for one of the three names; no name means private.
   *
   * @throws IllegalArgumentException for any other name; case matters
   */
  public static MountPropagation parse(String word) {
    if (word.isEmpty()) {
      return PRIVATE;
    }
    for (MountPropagation each : values()) {
      if (each.word.equals(word)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "A mount propagates 'private', 'host-to-task' or 'bidirectional', and not as was given.");
  }

  /** Returns its name in a job description, such as {@code host-to-task}. */
  public String word() {
    return word;
  }

  /** Returns the propagation as a kernel setting. */
  public Propagation kernel() {
    return kernel;
  }
}
