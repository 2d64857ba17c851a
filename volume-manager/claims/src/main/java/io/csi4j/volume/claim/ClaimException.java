package io.csi4j.volume.claim;

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

  private final Outcome outcome;

  /** The next step of the caller. */
  public enum Outcome {
    /** The rules are against it: change what is asked for, or wait for the holder. */
    REFUSED,
    /** Nothing was changed: ask again later. */
    UNAVAILABLE,
    /** The claim may be changed or not: ask again; doing it twice is harmless. */
    UNCERTAIN,
    /** The store is not what it was: nothing is claimed before a person has looked. */
    HELD
  }

  /** A failure with this outcome and message. */
  public ClaimException(Outcome outcome, OperatorMessage message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = Objects.requireNonNull(outcome, "outcome");
  }

  /** Returns what the caller does next. */
  public Outcome outcome() {
    return outcome;
  }
}
