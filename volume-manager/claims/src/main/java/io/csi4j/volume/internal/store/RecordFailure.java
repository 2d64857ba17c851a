package io.csi4j.volume.internal.store;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordKey;
import java.io.Serial;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a record was not read or changed as requested. The message is a clause that describes
 * the problem.
 */
public final class RecordFailure extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final ChangeOutcome outcome;
  private final OperatorCode code;
  private final Optional<RecordKey> key;

  RecordFailure(ChangeOutcome outcome, OperatorCode code, String seen, @Nullable Throwable cause) {
    this(outcome, code, seen, cause, Optional.empty());
  }

  private RecordFailure(
      ChangeOutcome outcome,
      OperatorCode code,
      String seen,
      @Nullable Throwable cause,
      Optional<RecordKey> key) {
    super(seen, cause, false, false);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
    this.code = Objects.requireNonNull(code, "code");
    this.key = key;
  }

  /** Returns this failure with the key of the record that it concerns. */
  RecordFailure of(RecordKey failed) {
    return new RecordFailure(outcome, code, seen(), getCause(), Optional.of(failed));
  }

  /**
   * Returns the key of the record that could not be read or written; empty if the failure does not
   * concern a single record.
   */
  public Optional<RecordKey> key() {
    return key;
  }

  /** Returns the outcome, which determines what the caller should do next. */
  public ChangeOutcome outcome() {
    return outcome;
  }

  /** Returns the operator code. */
  public OperatorCode code() {
    return code;
  }

  /** Returns the problem as a clause. */
  public String seen() {
    return String.valueOf(getMessage());
  }
}
