package io.csi4j.volume.state;

/**
 * Why a store refuses, doubts or warns. The names are stable: operators search for them, and {@code
 * docs/state.md} says of each what to do.
 *
 * @since 1.0
 */
public enum StateReason {
  /** Another process, or another part of this one, owns the state. */
  STATE_IN_USE,
  /** Another owner took the state while this one still had it; this one may not write any more. */
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
