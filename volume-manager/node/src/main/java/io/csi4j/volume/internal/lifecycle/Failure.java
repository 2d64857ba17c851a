package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import java.util.Optional;

/**
 * The reason why something did not come about. It ends an operation as what {@link #as} makes of
 * it.
 *
 * @param code the code
 * @param seen the observation, as a clause
 * @param cause the exception of a plugin, disk or kernel, if there is one
 * @param outcome the next step of the caller; nothing is pending for what was only observed
 * @param undoing why undoing the operation did not come about either, if that was tried
 */
public record Failure(
    OperatorCode code,
    String seen,
    Optional<Throwable> cause,
    Outcome outcome,
    Optional<Failure> undoing)
    implements Result {

  /** A failure that ends no operation yet. */
  public Failure(OperatorCode code, String seen, Optional<Throwable> cause) {
    this(code, seen, cause, Outcome.REFUSED, Optional.empty());
  }

  /** A failure without an exception. */
  public static Failure of(OperatorCode code, String seen) {
    return new Failure(code, seen, Optional.empty());
  }

  /** A failure with its cause. */
  public static Failure of(OperatorCode code, String seen, Throwable cause) {
    return new Failure(code, seen, Optional.of(cause));
  }

  /** Returns the end of an operation that failed like this. */
  public Failure as(Outcome end) {
    return as(end, Optional.empty());
  }

  /** Returns the end of an operation that failed like this, and could not be undone. */
  Failure as(Outcome end, Optional<Failure> notUndone) {
    return new Failure(code, seen, cause, end, notUndone);
  }

  /** Whether a person has to look before the cleanup can succeed. */
  public boolean needsHelp() {
    return outcome == Outcome.HELD && undoing.orElse(this).isForPeople();
  }

  /**
   * Whether the same try would end the same way until a person has looked: what the plugin refuses
   * to take away, what is not ours, and what another manager looks after now.
   */
  boolean isForPeople() {
    return code == OperatorCode.CLEANUP_NEEDS_HELP
        || code == OperatorCode.FOREIGN_MOUNT
        || code == OperatorCode.STATE_TAKEN_OVER
        || code == OperatorCode.STATE_CLOSED;
  }
}
