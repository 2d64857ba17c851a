package io.csi4j.volume.model;

import java.util.Objects;

/**
 * The answer to a node's query whether a volume exists. A node makes this query when its plugin
 * does not find the volume.
 *
 * @since 1.0
 */
public sealed interface VolumeVerdict {

  /** The volume exists. The plugin on the node may find it later. */
  record Present() implements VolumeVerdict {}

  /**
   * The volume does not exist. Repeating the call to the plugin is useless.
   *
   * @param message the message for an operator
   */
  record Gone(OperatorMessage message) implements VolumeVerdict {

    /** Checks that the message is set. */
    public Gone {
      Objects.requireNonNull(message, "message");
    }
  }

  /**
   * The existence of the volume could not be determined.
   *
   * @param because the reason, as a clause that people can read
   */
  record Unknown(ReasonText because) implements VolumeVerdict {

    /** Checks that the reason is set. */
    public Unknown {
      Objects.requireNonNull(because, "because");
    }
  }
}
