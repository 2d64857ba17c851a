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
 * A failed request to a storage system. {@link #outcome()} classifies what the caller does next;
 * {@link #code()} says what happened.
 *
 * @since 1.0
 */
public final class ControllerException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  private final ChangeOutcome outcome;
  private final transient List<Violation> violations;

  /** Creates a failure with this outcome and message. */
  public ControllerException(
      ChangeOutcome outcome, OperatorMessage message, @Nullable Throwable cause) {
    this(outcome, message, List.of(), cause);
  }

  /** Creates a failure with all violations of the request or of the answer. */
  public ControllerException(
      ChangeOutcome outcome,
      OperatorMessage message,
      List<Violation> violations,
      @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
    this.violations = List.copyOf(violations);
  }

  /** Returns the outcome, which classifies what the caller does next. */
  public ChangeOutcome outcome() {
    return outcome;
  }

  /** Returns the advice, in sentences. */
  public String advice() {
    return operatorMessage().next().text() + ".";
  }

  /** The call that failed, if a call was made. */
  public Optional<CsiOperation> rpc() {
    return answer().flatMap(CsiException::operation);
  }

  /** The status of the call, if a call was made. */
  public Optional<StatusCode> status() {
    return answer().map(CsiException::code);
  }

  /** All violations of the request or answer, if it was checked part by part. */
  public List<Violation> violations() {
    return violations;
  }

  private Optional<CsiException> answer() {
    return getCause() instanceof CsiException failed ? Optional.of(failed) : Optional.empty();
  }
}
