package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that a storage system was to do, and did not do as asked. {@link #outcome()} says what
 * the caller does next, {@link #code()} what happened.
 *
 * @since 1.0
 */
public final class ControllerException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final ChangeOutcome outcome;
  private final transient List<Violation> violations;

  /** A failure with this outcome and message. */
  public ControllerException(
      ChangeOutcome outcome, OperatorMessage message, @Nullable Throwable cause) {
    this(outcome, message, List.of(), cause);
  }

  /** A failure with all that is wrong with what was asked, or with what was answered. */
  public ControllerException(
      ChangeOutcome outcome,
      OperatorMessage message,
      List<Violation> violations,
      @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
    this.violations = List.copyOf(violations);
  }

  /** Returns what the caller does next. */
  public ChangeOutcome outcome() {
    return outcome;
  }

  /** Returns the advice, in sentences. */
  public String advice() {
    return operatorMessage().next().text() + ".";
  }

  /** The call that failed, if it came to one. */
  public Optional<CsiOperation> rpc() {
    return answer().flatMap(CsiException::operation);
  }

  /** The status that the call ended with, if it came to one. */
  public Optional<StatusCode> status() {
    return answer().map(CsiException::code);
  }

  /** All that is wrong with what was asked or answered, where it was looked at piece by piece. */
  public List<Violation> violations() {
    return violations;
  }

  private Optional<CsiException> answer() {
    return getCause() instanceof CsiException failed ? Optional.of(failed) : Optional.empty();
  }
}
