package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import java.util.Optional;

/**
 * The reason why something did not come about.
 *
 * @param code the code
 * @param seen the observation, as a clause
 * @param cause the exception of a plugin, disk or kernel, if there is one
 */
public record Failure(OperatorCode code, String seen, Optional<Throwable> cause) {

  /** A failure without an exception. */
  public static Failure of(OperatorCode code, String seen) {
    return new Failure(code, seen, Optional.empty());
  }

  /** A failure with its cause. */
  public static Failure of(OperatorCode code, String seen, Throwable cause) {
    return new Failure(code, seen, Optional.of(cause));
  }

  /**
   * Whether the same try would end the same way until a person has looked: what the plugin refuses
   * to take away, what is not ours, and what another manager looks after now.
   */
  public static boolean isForPeople(OperatorCode code) {
    return code == OperatorCode.CLEANUP_NEEDS_HELP
        || code == OperatorCode.FOREIGN_MOUNT
        || code == OperatorCode.STATE_TAKEN_OVER
        || code == OperatorCode.STATE_CLOSED;
  }
}
