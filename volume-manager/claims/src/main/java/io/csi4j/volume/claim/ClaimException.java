package io.csi4j.volume.claim;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A claim that was not changed as asked. {@link #outcome()} says what the caller does next.
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

  /** Returns what the caller does next. */
  public ChangeOutcome outcome() {
    return outcome;
  }
}
