package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an operation on a volume did not end as requested. The {@link #outcome()} classifies
 * what the caller should do next, and the {@link #code()} identifies the event. The cause, if any,
 * is the failure of a plugin, a disk or the kernel.
 *
 * @since 1.0
 */
public final class VolumeException extends OperatorException {

  private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final transient @Nullable OperationId operation;

  /** The outcome of a failed operation. It determines what the caller should do next. */
  public enum Outcome {
    /** Nothing is pending. Change the request, or repeat it later. */
    REFUSED,
    /** The operation, or its rollback, continues in the background. Wait, or repeat the request. */
    IN_PROGRESS,
    /** The manager does nothing more until a person has intervened. */
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

  /** Returns the outcome, which determines what the caller should do next. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns the number of the operation; empty if the operation had not begun. */
  public Optional<OperationId> operation() {
    return Optional.ofNullable(operation);
  }
}
