package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import java.util.Optional;

/**
 * Why something did not come about.
 *
 * @param code what
 * @param seen what was seen, as a clause
 * @param cause what a plugin, disk or kernel said, if anybody did
 */
public record Failure(OperatorCode code, String seen, Optional<Throwable> cause) {

  /** A failure that nobody else caused. */
  public static Failure of(OperatorCode code, String seen) {
    return new Failure(code, seen, Optional.empty());
  }

  /** A failure with its cause. */
  public static Failure of(OperatorCode code, String seen, Throwable cause) {
    return new Failure(code, seen, Optional.of(cause));
  }
}
