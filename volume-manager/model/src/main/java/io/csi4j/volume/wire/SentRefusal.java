package io.csi4j.volume.wire;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import java.util.Objects;

/**
 * A failure that crosses from the node or the control plane where it happened to the caller.
 *
 * @param message the message for an operator; its code is {@code CODE_OF_NEWER_VERSION} where this
 *     version does not know the code of the sender
 * @param outcome what the caller does next
 * @since 1.0
 */
public record SentRefusal(OperatorMessage message, ChangeOutcome outcome) {

  /** Checks that both parts are set. */
  public SentRefusal {
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(outcome, "outcome");
  }

  /** Returns a failure of a node. One that is still in progress is uncertain for the caller. */
  public static SentRefusal of(VolumeException failed) {
    return new SentRefusal(
        failed.operatorMessage(),
        switch (failed.outcome()) {
          case REFUSED -> ChangeOutcome.REFUSED;
          case IN_PROGRESS -> ChangeOutcome.UNCERTAIN;
          case HELD -> ChangeOutcome.HELD;
        });
  }

  /** Returns a failure of which the caller knows nothing: it may ask again, and nothing is lost. */
  public static SentRefusal uncertain(OperatorException failed) {
    return new SentRefusal(failed.operatorMessage(), ChangeOutcome.UNCERTAIN);
  }

  /** Returns the failure as a node throws it. */
  public VolumeException exception() {
    return new VolumeException(
        switch (outcome) {
          case REFUSED, UNAVAILABLE -> VolumeException.Outcome.REFUSED;
          case UNCERTAIN -> VolumeException.Outcome.IN_PROGRESS;
          case HELD -> VolumeException.Outcome.HELD;
        },
        message,
        null,
        null);
  }
}
