package io.csi4j.volume.internal.store;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordKey;
import java.io.Serial;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a record was not changed as requested. The message is the observation, as a clause.
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

  /** Returns the same failure for the record with this key. */
  RecordFailure of(RecordKey failed) {
    return new RecordFailure(outcome, code, seen(), getCause(), Optional.of(failed));
  }

  /** Returns the key of the record that could not be read or written, if only one is concerned. */
  public Optional<RecordKey> key() {
    return key;
  }

  /** Returns the outcome, which determines the caller's next action. */
  public ChangeOutcome outcome() {
    return outcome;
  }

  /** Returns the operator code. */
  public OperatorCode code() {
    return code;
  }

  /** Returns the observation. */
  public String seen() {
    return String.valueOf(getMessage());
  }
}
