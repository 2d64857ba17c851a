package io.csi4j.volume.claim;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a claim was not changed as requested. The {@link #outcome()} determines what the
 * caller should do next.
 *
 * @since 1.0
 */
public final class ClaimException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final ChangeOutcome outcome;

  /** Creates an exception with this outcome and message. */
  public ClaimException(ChangeOutcome outcome, OperatorMessage message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
  }

  /** Returns the outcome, which determines what the caller should do next. */
  public ChangeOutcome outcome() {
    return outcome;
  }
}
