package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.state.StateReason;
import java.nio.file.Path;

/**
 * Why nothing can be taken.
 *
 * @param reason the reason
 * @param text one line for an operator
 * @param cause what the disk said
 */
record JournalTrouble(StateReason reason, String text, DiskException cause) {

  static JournalTrouble of(Path directory, DiskException cause) {
    StateReason reason =
        switch (cause.kind()) {
          case NO_SPACE -> StateReason.STATE_DISK_FULL;
          case READ_ONLY -> StateReason.STATE_READ_ONLY;
          case TOO_MANY_FILES -> StateReason.TOO_MANY_FILES;
          case DENIED, NOT_FOUND, IN_THE_WAY -> StateReason.STATE_NOT_USABLE;
          case FAILED -> StateReason.JOURNAL_SYNC_FAILED;
        };
    return new JournalTrouble(
        reason,
        "Recording an intent in "
            + shown(directory)
            + " failed: "
            + why(reason)
            + " ("
            + shown(String.valueOf(cause.getMessage()))
            + "). Nothing new is taken, and giving back goes on. "
            + advice(reason),
        cause);
  }

  private static String why(StateReason reason) {
    return switch (reason) {
      case STATE_DISK_FULL -> "the disk is full";
      case STATE_READ_ONLY -> "the filesystem is read-only";
      case TOO_MANY_FILES -> "this process has too many files open";
      case STATE_NOT_USABLE -> "the directory is gone or not permitted";
      default -> "the disk failed to write or sync";
    };
  }

  private static String advice(StateReason reason) {
    return switch (reason) {
      case STATE_DISK_FULL -> "Free space; the next intent tries again.";
      case STATE_READ_ONLY -> "Mount it writable again; the next intent tries again.";
      case TOO_MANY_FILES -> "Raise the limit of open files; the next intent tries again.";
      case STATE_NOT_USABLE -> "Bring the directory back with a mode of 0700, then restart.";
      default -> "Look after the disk (see the kernel's log); the next intent tries again.";
    };
  }

  /** A path or a text of the system, without what could forge a line of a log. */
  static String shown(Object text) {
    return String.valueOf(text).replaceAll("\\p{Cntrl}", "?");
  }
}
