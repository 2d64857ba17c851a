package io.csi4j.volume.model;

import java.util.Objects;

/**
 * The answer to the question whether a volume exists, which a node asks when its plugin does not
 * find the volume.
 *
 * @since 1.0
 */
public sealed interface VolumeVerdict {

  /** The volume exists: the plugin on the node may find it later. */
  record Present() implements VolumeVerdict {}

  /**
   * The volume does not exist: a repeated call does not find it.
   *
   * @param message the message for an operator
   */
  record Gone(OperatorMessage message) implements VolumeVerdict {

    /** Checks that it is there. */
    public Gone {
      Objects.requireNonNull(message, "message");
    }
  }

  /**
   * Whether the volume exists cannot be found out now.
   *
   * @param because the reason, as a clause for people
   */
  record Unknown(ReasonText because) implements VolumeVerdict {

    /** Checks that it is there. */
    public Unknown {
      Objects.requireNonNull(because, "because");
    }
  }
}
