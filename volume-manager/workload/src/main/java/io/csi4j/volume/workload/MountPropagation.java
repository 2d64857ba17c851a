package io.csi4j.volume.workload;

import io.csi4j.mount.model.Propagation;

/**
 * Which mounts below a volume a task and its host show each other.
 *
 * @since 1.0
 */
public enum MountPropagation {
  /** None. */
  PRIVATE("private", Propagation.PRIVATE),
  /** The task sees later mounts of the host below it, too. */
  HOST_TO_TASK("host-to-task", Propagation.HOST_TO_CONTAINER),
  /** Each sees the mounts of the other: the task can change what the host has mounted. */
  BIDIRECTIONAL("bidirectional", Propagation.BIDIRECTIONAL);

  private final String word;
  private final Propagation kernel;

  MountPropagation(String word, Propagation kernel) {
    this.word = word;
    this.kernel = kernel;
  }

  /**
   * The propagation of one of the three words; nothing means private.
   *
   * @throws IllegalArgumentException for any other word, however written
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

  /** Its word in a job description, such as {@code host-to-task}. */
  public String word() {
    return word;
  }

  /** Returns the propagation for the kernel's mounts. */
  public Propagation kernel() {
    return kernel;
  }
}
