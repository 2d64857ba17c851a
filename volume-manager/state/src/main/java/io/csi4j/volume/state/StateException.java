package io.csi4j.volume.state;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store that refused. Its message is one line for an operator: what failed, why, and what to do
 * next.
 *
 * <p>A write that was refused changed nothing that this store shows. On the medium, and so after a
 * restart, the key may have its old value or the refused one, never a mix, until it is written
 * again.
 *
 * @since 1.0
 */
public final class StateException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final String FAILED = " failed: ";

  private final Reason reason;
  private final transient StateStore.@Nullable Owner owner;

  /** A refusal for this reason. */
  public StateException(Reason reason, String message) {
    this(reason, message, null, null);
  }

  /** A refusal for this reason, and what caused it. */
  public StateException(Reason reason, String message, Throwable cause) {
    this(reason, message, null, cause);
  }

  private StateException(
      Reason reason, String message, StateStore.@Nullable Owner owner, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
    this.owner = owner;
  }

  /** A refusal because another process owns the state. */
  public static StateException owned(Reason reason, String message, StateStore.Owner owner) {
    return new StateException(reason, message, owner, null);
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }

  /** Why, in words: a clause for a message that says itself what failed and what to do next. */
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

  /** Returns the owner of the state, if that was the reason and it is known. */
  public Optional<StateStore.Owner> owner() {
    return Optional.ofNullable(owner);
  }

  /**
   * Why a store refuses, doubts or warns. The names are stable: operators search for them, and
   * {@code docs/state.md} says of each what to do.
   *
   * @since 1.0
   */
  public enum Reason {
    /** Another process, or another part of this one, owns the state. */
    STATE_IN_USE,
    /**
     * Another owner took the state while this one still had it; this one may not write any more.
     */
    STATE_TAKEN_OVER,
    /** A newer version wrote it; not a byte of it was changed. */
    STATE_FROM_NEWER_VERSION,
    /** Another host wrote it. */
    STATE_FROM_OTHER_HOST,
    /** The filesystem keeps no promise about locks or syncing. */
    STATE_FS_UNSUITED,
    /** The directory, or a file in it, cannot be used: kind, owner or mode is wrong. */
    STATE_NOT_USABLE,
    /** The disk is full: nothing can be taken, giving back goes on. */
    STATE_DISK_FULL,
    /** The disk is read-only: nothing can be taken, giving back goes on in memory. */
    STATE_READ_ONLY,
    /** The disk failed to write or sync: nothing can be taken, giving back goes on in memory. */
    JOURNAL_SYNC_FAILED,
    /** The process has too many files open. */
    TOO_MANY_FILES,
    /** A value has more than 64 KiB. */
    STATE_VALUE_TOO_LARGE,
    /** The store is closed. */
    STATE_CLOSED,
    /** The newest record was not whole, and was dropped. */
    JOURNAL_TAIL_DROPPED,
    /** Records before the newest are damaged; the file is kept aside. */
    JOURNAL_DAMAGED,
    /** The file is shorter than it was made. */
    JOURNAL_TRUNCATED,
    /** Records are not in the order in which they were written. */
    JOURNAL_ORDER,
    /** Another program changed, replaced or deleted the file while it was in use. */
    JOURNAL_REPLACED,
    /** There is no state where there must have been some. */
    STATE_MISSING,
    /** A mode was too open, and was set right. */
    MODE_FIXED,
    /** A value is sealed, and does not open with the keys at hand. */
    STATE_SEALED
  }
}
