package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import java.util.Optional;

/**
 * A failure and its reason. {@link #as} converts the failure to the end of an operation.
 *
 * <p>The failure of a call that was not sent contains no {@code CsiFailure}, because no plugin has
 * answered.
 *
 * @param code the code
 * @param seen the observation, as a clause
 * @param cause the exception of a plugin, disk or kernel, if there is one
 * @param outcome the outcome for the caller; {@code REFUSED} until {@link #as} sets it
 * @param undoing why undoing the operation failed too; empty if it did not
 */
public record Failure(
    OperatorCode code,
    String seen,
    Optional<Throwable> cause,
    Outcome outcome,
    Optional<Failure> undoing)
    implements Result {

  /** Creates a failure that is not the end of an operation yet. */
  public Failure(OperatorCode code, String seen, Optional<Throwable> cause) {
    this(code, seen, cause, Outcome.REFUSED, Optional.empty());
  }

  /** Returns a failure without an exception. */
  public static Failure of(OperatorCode code, String seen) {
    return new Failure(code, seen, Optional.empty());
  }

  /** Returns a failure with its cause. */
  public static Failure of(OperatorCode code, String seen, Throwable cause) {
    return new Failure(code, seen, Optional.of(cause));
  }

  /** Returns the end of an operation with this failure. */
  public Failure as(Outcome end) {
    return as(end, Optional.empty());
  }

  /**
   * Returns the end of an operation with this failure. If the operation could not be undone, the
   * second failure says why.
   */
  Failure as(Outcome end, Optional<Failure> notUndone) {
    return new Failure(code, seen, cause, end, notUndone);
  }

  /** Returns whether an operator must intervene before the cleanup can succeed. */
  public boolean needsHelp() {
    return outcome == Outcome.HELD && undoing.orElse(this).isForPeople();
  }

  /**
   * Returns whether another attempt would fail in the same way until an operator intervenes. This
   * is so if only an operator can complete the cleanup, if the mount does not belong to this
   * manager, or if this manager can no longer write the state.
   */
  boolean isForPeople() {
    return code == OperatorCode.CLEANUP_NEEDS_HELP
        || code == OperatorCode.FOREIGN_MOUNT
        || code == OperatorCode.STATE_TAKEN_OVER
        || code == OperatorCode.STATE_CLOSED;
  }
}
