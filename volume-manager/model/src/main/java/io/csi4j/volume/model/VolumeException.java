package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operation that did not end as asked. {@link #outcome()} says what the caller does next, {@link
 * #code()} what happened. The cause, where there is one, is what a plugin, disk or kernel said.
 *
 * @since 1.0
 */
public final class VolumeException extends OperatorException {

  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final transient @Nullable OperationId operation;

  /** The next step of the caller. */
  public enum Outcome {
    /** Nothing is pending: change what was asked for, or ask again later. */
    REFUSED,
    /** The operation, or the undoing of it, goes on: wait, or ask again. */
    IN_PROGRESS,
    /** Nothing more is done before a person has looked. */
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

  /** The operation, if it had begun. */
  public Optional<OperationId> operation() {
    return Optional.ofNullable(operation);
  }
}
