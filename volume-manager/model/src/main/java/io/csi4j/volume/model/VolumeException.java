package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a volume that did not end as requested. {@link #outcome()} classifies what the
 * caller does next; {@link #code()} says what happened. The cause, if any, is the failure of a
 * plugin, disk or kernel.
 *
 * @since 1.0
 */
public final class VolumeException extends OperatorException {

  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final transient @Nullable OperationId operation;

  /** The next step of the caller. */
  public enum Outcome {
    /** Nothing is pending: change the request, or repeat it later. */
    REFUSED,
    /** The operation, or its reversal, continues: wait, or repeat the request. */
    IN_PROGRESS,
    /** Nothing more is done before a person has intervened. */
    HELD
  }

  /** Creates a failure with this outcome and message. */
  public VolumeException(
      Outcome outcome,
      OperatorMessage message,
      @Nullable OperationId operation,
      @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
    this.operation = operation;
  }

  /** Returns the outcome, which classifies what the caller does next. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns the number of the operation, if it had begun. */
  public Optional<OperationId> operation() {
    return Optional.ofNullable(operation);
  }
}
