package io.csi4j.volume.internal.path;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.state.StateException;

/**
 * Maps the failure reasons of the state store to operator codes, because the module of the state
 * store has no operator codes.
 */
public final class StateCodes {

  private StateCodes() {}

  /** Returns the code for operators. */
  public static OperatorCode of(StateException.Reason reason) {
    return switch (reason) {
      case STATE_IN_USE -> OperatorCode.STATE_IN_USE;
      case STATE_TAKEN_OVER -> OperatorCode.STATE_TAKEN_OVER;
      case STATE_FROM_NEWER_VERSION -> OperatorCode.STATE_FROM_NEWER_VERSION;
      case STATE_FROM_OTHER_HOST -> OperatorCode.STATE_FROM_OTHER_HOST;
      case STATE_FS_UNSUITED -> OperatorCode.STATE_FS_UNSUITED;
      case STATE_NOT_USABLE -> OperatorCode.STATE_NOT_USABLE;
      case STATE_DISK_FULL -> OperatorCode.STATE_DISK_FULL;
      case STATE_READ_ONLY -> OperatorCode.STATE_READ_ONLY;
      case JOURNAL_SYNC_FAILED -> OperatorCode.JOURNAL_SYNC_FAILED;
      case TOO_MANY_FILES -> OperatorCode.TOO_MANY_FILES;
      case STATE_VALUE_TOO_LARGE -> OperatorCode.STATE_VALUE_TOO_LARGE;
      case STATE_CLOSED -> OperatorCode.STATE_CLOSED;
      case JOURNAL_TAIL_DROPPED -> OperatorCode.JOURNAL_TAIL_DROPPED;
      case JOURNAL_DAMAGED -> OperatorCode.JOURNAL_DAMAGED;
      case JOURNAL_TRUNCATED -> OperatorCode.JOURNAL_TRUNCATED;
      case JOURNAL_ORDER -> OperatorCode.JOURNAL_ORDER;
      case JOURNAL_REPLACED -> OperatorCode.JOURNAL_REPLACED;
      case STATE_MISSING -> OperatorCode.STATE_MISSING;
      case MODE_FIXED -> OperatorCode.MODE_FIXED;
      case STATE_SEALED -> OperatorCode.STATE_SEALED;
    };
  }
}
