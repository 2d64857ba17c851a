package io.csi4j.volume.internal.store;

import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A record that was not changed as asked. The message is what was seen, as a clause. */
public final class RecordFailure extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final ChangeOutcome outcome;
  private final OperatorCode code;

  RecordFailure(ChangeOutcome outcome, OperatorCode code, String seen, @Nullable Throwable cause) {
    super(seen, cause, false, false);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
    this.code = Objects.requireNonNull(code, "code");
  }

  /** Returns what the caller does next. */
  public ChangeOutcome outcome() {
    return outcome;
  }

  /** Returns the code, as claims name it. */
  public OperatorCode code() {
    return code;
  }

  /** Returns what was seen. */
  public String seen() {
    return String.valueOf(getMessage());
  }
}
