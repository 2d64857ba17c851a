package io.csi4j.volume.workload;

import io.csi4j.mount.model.Propagation;

/** The values that a job description may use for the propagation of mounts. */
final class PropagationWords {

  private static final String HOST_TO_TASK = "host-to-task";

  private PropagationWords() {}

  /**
   * Returns the propagation for a value; an empty text means private.
   *
   * @throws IllegalArgumentException for an unknown value; upper and lower case are different
   */
  static Propagation parse(String word) {
    return switch (word) {
      case "", "private" -> Propagation.PRIVATE;
      case HOST_TO_TASK -> Propagation.HOST_TO_CONTAINER;
      case "bidirectional" -> Propagation.BIDIRECTIONAL;
      default ->
          throw new IllegalArgumentException(
              "A mount propagates 'private', 'host-to-task' or 'bidirectional'; the given value "
                  + "is none of them.");
    };
  }

  /** Returns the value for a propagation, such as {@code host-to-task}. */
  static String of(Propagation propagation) {
    return propagation == Propagation.HOST_TO_CONTAINER ? HOST_TO_TASK : propagation.word();
  }
}
