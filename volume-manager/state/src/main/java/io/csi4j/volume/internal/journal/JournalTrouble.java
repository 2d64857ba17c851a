package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.state.StateException;
import java.nio.file.Path;

/**
 * The reason why acquisitions are refused.
 *
 * @param reason the reason
 * @param text one line for an operator
 * @param cause the failure of the disk
 */
record JournalTrouble(StateException.Reason reason, String text, DiskException cause) {

  private record Words(StateException.Reason reason, String why, String advice) {}

  static JournalTrouble of(Path directory, DiskException cause) {
    Words words =
        switch (cause.kind()) {
          case NO_SPACE ->
              new Words(
                  StateException.Reason.STATE_DISK_FULL,
                  "the disk is full",
                  "Free space; the next write tries again.");
          case READ_ONLY ->
              new Words(
                  StateException.Reason.STATE_READ_ONLY,
                  "the filesystem is read-only",
                  "Mount it writable again; the next write tries again.");
          case TOO_MANY_FILES ->
              new Words(
                  StateException.Reason.TOO_MANY_FILES,
                  "this process has too many files open",
                  "Raise the limit of open files; the next write tries again.");
          case DENIED, NOT_FOUND, IN_THE_WAY ->
              new Words(
                  StateException.Reason.STATE_NOT_USABLE,
                  "the directory is missing or not accessible",
                  "Restore the directory with mode 0700, then restart.");
          case TOO_LARGE ->
              new Words(
                  StateException.Reason.STATE_NOT_USABLE,
                  "a file is too large to be read",
                  "Move it away, or give the JVM more memory (-Xmx), then restart.");
          case FAILED ->
              new Words(
                  StateException.Reason.JOURNAL_SYNC_FAILED,
                  "the disk failed to write or sync",
                  "Check the disk (see the kernel's log); the next write tries again.");
        };
    return new JournalTrouble(
        words.reason,
        "Recording an intent in "
            + shown(directory)
            + " failed: "
            + words.why
            + " ("
            + shown(String.valueOf(cause.getMessage()))
            + "). No new work is accepted; releases continue. "
            + words.advice,
        cause);
  }

  /** Returns the failure with the next step, which is usually the given one. */
  static String advised(DiskException failure, String usually) {
    return shown(String.valueOf(failure.getMessage()))
        + ". "
        + (failure.kind() == DiskException.Kind.TOO_LARGE
            ? "Move the file away, or give the JVM more memory (-Xmx)."
            : usually);
  }

  /** Returns a path or a text of the system, without characters that could forge a log line. */
  static String shown(Object text) {
    return String.valueOf(text).replaceAll("\\p{Cntrl}", "?");
  }
}
