package io.csi4j.volume.wire;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import java.util.Objects;

/**
 * A failure on a node or a control plane that is sent to the caller of the failed request.
 *
 * @param message the message for an operator; its code is {@code CODE_OF_NEWER_VERSION} if this
 *     version does not know the sender's code
 * @param outcome the outcome, which determines what the caller should do next
 * @since 1.0
 */
public record SentRefusal(OperatorMessage message, ChangeOutcome outcome) {

  /** Checks that both parts are set. */
  public SentRefusal {
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(outcome, "outcome");
  }

  /**
   * Returns the failure of an operation on a node. If the operation is still in progress, the
   * outcome for the caller is uncertain.
   */
  public static SentRefusal of(VolumeException failed) {
    return new SentRefusal(
        failed.operatorMessage(),
        switch (failed.outcome()) {
          case REFUSED -> ChangeOutcome.REFUSED;
          case IN_PROGRESS -> ChangeOutcome.UNCERTAIN;
          case HELD -> ChangeOutcome.HELD;
        });
  }

  /** Returns a failure with an uncertain outcome. The caller can safely repeat the request. */
  public static SentRefusal uncertain(OperatorException failed) {
    return new SentRefusal(failed.operatorMessage(), ChangeOutcome.UNCERTAIN);
  }

  /** Returns the failure as the exception that a node throws. */
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
