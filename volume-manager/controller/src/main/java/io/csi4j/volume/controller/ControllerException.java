package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that a storage system was to do, and did not do as asked. {@link #outcome()} says what
 * the caller does next, {@link #code()} what happened.
 */
public final class ControllerException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final Outcome outcome;
  private final transient OperatorMessage operatorMessage;
  private final transient List<Violation> violations;

  /** What the caller does next. */
  public enum Outcome {
    /** It was not done, and the same would be refused again: change it, or what is in its way. */
    REFUSED,
    /** It was not done: ask again later. */
    UNAVAILABLE,
    /** Nobody knows whether it was done: ask again; doing it twice is harmless. */
    UNCERTAIN,
    /** Nothing more is done before a person has looked. */
    HELD
  }

  /** A failure with this outcome and message. */
  public ControllerException(Outcome outcome, OperatorMessage message, @Nullable Throwable cause) {
    this(outcome, message, List.of(), cause);
  }

  /** A failure with all that is wrong with what was asked, or with what was answered. */
  public ControllerException(
      Outcome outcome,
      OperatorMessage message,
      List<Violation> violations,
      @Nullable Throwable cause) {
    super(message.line(), cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
    this.operatorMessage = message;
    this.violations = List.copyOf(violations);
  }

  /** What the caller does next. */
  public Outcome outcome() {
    return outcome;
  }

  /** What happened. */
  public OperatorCode code() {
    return operatorMessage.code();
  }

  /** The message in its parts. */
  public OperatorMessage operatorMessage() {
    return operatorMessage;
  }

  /** What to do next, in sentences. */
  public String advice() {
    return operatorMessage.next().text() + ".";
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
