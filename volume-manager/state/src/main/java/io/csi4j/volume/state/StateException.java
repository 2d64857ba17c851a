package io.csi4j.volume.state;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A refusal of a store. Its message is one line for an operator: the failed operation, the reason,
 * and the next step.
 *
 * <p>A refused write has changed no value that this store returns. On the medium, and so after a
 * restart, the key has its old value or the refused one, but never a mix, until it is written
 * again.
 *
 * @since 1.0
 */
public final class StateException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String FAILED = " failed: ";

  private final Reason reason;
  private final transient StateStore.@Nullable Owner owner;

  /** Creates a refusal for this reason. */
  public StateException(Reason reason, String message) {
    this(reason, message, null, null);
  }

  /** Creates a refusal for this reason, with its cause. */
  public StateException(Reason reason, String message, Throwable cause) {
    this(reason, message, null, cause);
  }

  private StateException(
      Reason reason, String message, StateStore.@Nullable Owner owner, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
    this.owner = owner;
  }

  /** Creates a refusal because another process owns the state. */
  public static StateException owned(Reason reason, String message, StateStore.Owner owner) {
    return new StateException(reason, message, owner, null);
  }

  /** Returns the reason. */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns the reason as a clause, for a message that itself has the failed operation and the next
   * step.
   */
  public String why() {
    String text = String.valueOf(getMessage());
    int failed = text.indexOf(FAILED);
    int begin = failed < 0 ? 0 : failed + FAILED.length();
    int end = text.indexOf(". ", begin);
    if (end < 0) {
      end = text.endsWith(".") ? text.length() - 1 : text.length();
    }
    return text.substring(begin, end);
  }

  /** Returns the owner of the state, if it is the reason for the refusal and known. */
  public Optional<StateStore.Owner> owner() {
    return Optional.ofNullable(owner);
  }

  /**
   * The reasons of refusals, uncertainties and warnings. The names are stable: operators search for
   * them, and {@code docs/state.md} gives the next step for each.
   *
   * @since 1.0
   */
  public enum Reason {
    /** Another process, or another part of this one, owns the state. */
    STATE_IN_USE,
    /** Another owner took over the state from this one, which may not write any more. */
    STATE_TAKEN_OVER,
    /** A newer version wrote the state; nothing was changed. */
    STATE_FROM_NEWER_VERSION,
    /** Another host wrote the state. */
    STATE_FROM_OTHER_HOST,
    /** The locks or syncs of the filesystem are unreliable. */
    STATE_FS_UNSUITED,
    /** The directory, or a file in it, cannot be used because its kind, owner or mode is wrong. */
    STATE_NOT_USABLE,
    /** The disk is full: acquisitions are refused, releases continue. */
    STATE_DISK_FULL,
    /** The disk is read-only: acquisitions are refused, releases continue in memory. */
    STATE_READ_ONLY,
    /** The disk failed to write or sync: acquisitions are refused, releases continue in memory. */
    JOURNAL_SYNC_FAILED,
    /** The process has too many files open. */
    TOO_MANY_FILES,
    /** A value is larger than 64 KiB. */
    STATE_VALUE_TOO_LARGE,
    /** The store is closed. */
    STATE_CLOSED,
    /** The newest record was incomplete, and was dropped. */
    JOURNAL_TAIL_DROPPED,
    /** Records before the newest are damaged; the file is set aside. */
    JOURNAL_DAMAGED,
    /** The file is shorter than at its creation. */
    JOURNAL_TRUNCATED,
    /** Records are not in the order in which they were written. */
    JOURNAL_ORDER,
    /** Another program changed, replaced or deleted the file while it was in use. */
    JOURNAL_REPLACED,
    /** There is no state, although there must have been one. */
    STATE_MISSING,
    /** A mode was too permissive, and was corrected. */
    MODE_FIXED,
    /** A value is sealed, and cannot be opened with the available keys. */
    STATE_SEALED
  }
}
