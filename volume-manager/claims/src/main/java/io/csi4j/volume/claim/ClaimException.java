package io.csi4j.volume.claim;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a claim was not changed as requested. {@link #outcome()} determines the caller's next
 * action.
 *
 * @since 1.0
 */
public final class ClaimException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final ChangeOutcome outcome;

  /** A failure with this outcome and message. */
  public ClaimException(ChangeOutcome outcome, OperatorMessage message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
  }

  /** Returns the outcome, which determines the caller's next action. */
  public ChangeOutcome outcome() {
    return outcome;
  }
}
