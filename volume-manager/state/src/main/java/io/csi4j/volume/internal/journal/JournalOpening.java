package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.Filesystems;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.Uncertainty;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Opens a directory: checks who may use it, and reads its contents. Nothing of the state is written
 * until the lock is held and all checks have passed.
 */
final class JournalOpening {

  /** More records than one owner ever writes. */
  private static final long NUMBERS_OF_A_LIFE = 1L << 40;

  private static final int DIRECTORY_MODE = 0700;
  private static final int FILE_MODE = 0600;

  /** Read once, because the JDK reads several files of the process for it. */
  private static final Instant PROCESS_START =
      ProcessHandle.current().info().startInstant().orElse(Instant.EPOCH);

  private static final Pattern OURS =
      Pattern.compile("lock|owner|ballast|seg-\\d{8}\\.(?:j|new|j\\.damaged-\\d+)");

  final Disk disk;
  final Path directory;
  final JournalSettings settings;
  final SegmentFiles files;
  final Ownership ownership;
  private final List<StateEvent> events = new ArrayList<>();

  /**
   * The results of opening.
   *
   * @param replay the state
   * @param newest the number of the newest segment; 0 if there is none
   * @param writable the newest segment, if it can be continued; otherwise null
   * @param damaged whether the newest segment should be kept for inspection
   * @param owner the owner from now on
   */
  record Found(
      Replay replay,
      int newest,
      @Nullable SegmentScan writable,
      boolean damaged,
      StateStore.Owner owner) {}

  JournalOpening(Disk disk, Path directory, JournalSettings settings) {
    this.disk = disk;
    this.directory = directory;
    this.settings = settings;
    this.files = new SegmentFiles(disk, directory, settings.ballastSize());
    this.ownership = new Ownership(disk, directory);
  }

  /** Returns the events that occurred during opening. */
  List<StateEvent> events() {
    return events;
  }

  Found find() {
    try {
      boolean there = isThere();
      SortedMap<Integer, SegmentScan> scans = new TreeMap<>();
      if (there) {
        scans = files.scan();
        refuseNewer(scans);
      }
      checkFilesystem(there ? directory : above());
      if (!there) {
        disk.createDirectory(directory);
      }
      syncAbove(there);
      lock();
      return foundUnderLock(scans);
    } catch (DiskException e) {
      throw refusal(e);
    }
  }

  private boolean isThere() throws DiskException {
    Optional<FileFacts> facts = disk.facts(directory);
    if (facts.isPresent() && facts.get().kind() != FileFacts.Kind.DIRECTORY) {
      throw refused(
          StateException.Reason.STATE_NOT_USABLE,
          "it is a "
              + facts.get().kind()
              + ", not a directory. Move it away, or name the directory itself.");
    }
    if (facts.isEmpty() && disk.status(above()).isEmpty()) {
      throw refused(
          StateException.Reason.STATE_NOT_USABLE,
          "the directory above it, "
              + JournalTrouble.shown(above())
              + ", is missing, and csi4j creates only the last part of a path. Create the one "
              + "above, or mount its filesystem.");
    }
    return facts.isPresent();
  }

  private Path above() {
    Path above = directory.toAbsolutePath().getParent();
    return above == null ? directory : above;
  }

  /**
   * Without this sync, a power cut could remove the directory with its contents; this includes an
   * existing directory, whose creator may have crashed before the sync. For an existing directory,
   * however, a failing disk must not prevent releases.
   */
  private void syncAbove(boolean wasThere) throws DiskException {
    try {
      disk.syncDirectory(above());
    } catch (DiskException e) {
      // A process that may create a directory there may still not be permitted to read the parent,
      // and only a readable directory can be synced.
      if (!wasThere && e.kind() != DiskException.Kind.DENIED) {
        throw e;
      }
    }
  }

  private void refuseNewer(SortedMap<Integer, SegmentScan> scans) {
    if (scans.values().stream().anyMatch(SegmentScan::isNewer)) {
      throw refused(
          StateException.Reason.STATE_FROM_NEWER_VERSION,
          "a newer version of csi4j wrote it, and nothing in it was changed. Run"
              + " that version or a later one.");
    }
  }

  private void checkFilesystem(Path path) throws DiskException {
    String type = disk.filesystemType(path);
    if (Filesystems.promiseTooLittle(type) && !settings.acceptAnyFilesystem()) {
      throw refused(
          StateException.Reason.STATE_FS_UNSUITED,
          "it is on " + type + ", which lacks reliable locks and syncing. Put it on a local disk.");
    }
  }

  private void lock() throws DiskException {
    boolean locked;
    try {
      locked = ownership.acquire();
    } catch (DiskException e) {
      if (e.kind() == DiskException.Kind.READ_ONLY) {
        // No process can write, so none has to be excluded; a write tries the lock again.
        return;
      }
      throw e;
    }
    if (!locked) {
      throw inUse();
    }
  }

  private StateException inUse() {
    Optional<StateStore.Owner> owner = ownership.recorded();
    if (owner.isEmpty()) {
      return refused(
          StateException.Reason.STATE_IN_USE,
          "another process owns it, and its id is unknown. Find it with 'fuser' on the file"
              + " 'lock'.");
    }
    long pid = owner.get().pid();
    return StateException.owned(
        StateException.Reason.STATE_IN_USE,
        failed()
            + (pid == ProcessHandle.current().pid()
                ? "this process has it open already (process " + pid + ")"
                : "process " + pid + " owns it")
            + ", started "
            + owner.get().processStart()
            + ", epoch "
            + owner.get().epoch()
            + ". Close it there, or end that process.",
        owner.get());
  }

  /**
   * Returns the contents now that no other process can write.
   *
   * @param before the contents read before that
   */
  private Found foundUnderLock(SortedMap<Integer, SegmentScan> before) throws DiskException {
    boolean done = false;
    try {
      SortedMap<Integer, SegmentScan> scans = files.scan(before);
      refuseNewer(scans);
      Replay replay = replay(scans);
      refuseOtherHost(replay);
      fixModes();
      int newest = scans.isEmpty() ? 0 : scans.lastKey();
      SegmentScan scan = scans.get(newest);
      boolean sound =
          scan != null && scan.isSound() && replay.found().isEmpty() && scan.endsWith(replay.seq());
      boolean damaged =
          replay.found().stream()
              .anyMatch(
                  doubt ->
                      doubt.reason() != StateException.Reason.JOURNAL_TAIL_DROPPED
                          && doubt.reason() != StateException.Reason.STATE_MISSING);
      long epoch =
          Math.max(replay.epoch(), ownership.recorded().map(StateStore.Owner::epoch).orElse(0L))
              + 1;
      refuseSpentNumbers(replay.seq(), epoch);
      Found found = new Found(replay, newest, sound ? scan : null, damaged, self(epoch));
      done = true;
      return found;
    } finally {
      if (!done) {
        ownership.release();
      }
    }
  }

  private Replay replay(SortedMap<Integer, SegmentScan> scans) throws DiskException {
    Replay replay =
        sum(
            scans,
            settings.stateExpected() || disk.facts(directory.resolve("owner")).isPresent(),
            directory);
    replay.found().forEach(doubt -> events.add(new StateEvent.BecameUncertain(doubt)));
    return replay;
  }

  /** Combines the segments; {@code expected} states whether there must be one. */
  static Replay sum(SortedMap<Integer, SegmentScan> scans, boolean expected, Path directory) {
    if (!scans.isEmpty()) {
      int newest = scans.lastKey();
      SortedMap<Integer, SegmentScan> older = scans.headMap(newest);
      SegmentScan scan = Objects.requireNonNull(scans.get(newest));
      return Replay.of(scan, older.isEmpty() ? null : older.get(older.lastKey()));
    }
    if (!expected) {
      return Replay.ofNothing();
    }
    Uncertainty missing =
        Uncertainty.aboutMoreThan(
            StateException.Reason.STATE_MISSING,
            List.of(),
            "There is no segment in "
                + JournalTrouble.shown(directory)
                + ", although there must have been one. Reconcile everything with the identity"
                + " files and the mount table.");
    return new Replay(new LiveState(Map.of(), List.of(missing)), List.of(missing), 0, 0, null);
  }

  /** Rejects a number beyond the maximum: an entry with it could not be read again. */
  private void refuseSpentNumbers(long seq, long epoch) {
    if (!Entry.isNumber(epoch) || !Entry.isNumber(seq + NUMBERS_OF_A_LIFE)) {
      throw refused(
          StateException.Reason.STATE_NOT_USABLE,
          "its records have the number "
              + seq
              + " and the epoch "
              + (epoch - 1)
              + ", the highest possible ones: another program wrote them. Move the directory"
              + " away; the state is then rebuilt from the directories of the volumes.");
    }
  }

  private void refuseOtherHost(Replay replay) {
    if (replay.writtenOn() != null
        && settings.host().isOtherHostThan(replay.writtenOn())
        && !settings.acceptOtherHost()) {
      throw refused(
          StateException.Reason.STATE_FROM_OTHER_HOST,
          "it was written on host "
              + replay.writtenOn().host()
              + ", and this is "
              + settings.host().host()
              + ". Start with an empty directory, or accept the other host if this is the same"
              + " machine under a new name.");
    }
  }

  private void fixModes() throws DiskException {
    fixMode(directory, DIRECTORY_MODE);
    for (String name : disk.list(directory)) {
      if (OURS.matcher(name).matches()) {
        fixMode(directory.resolve(name), FILE_MODE);
      }
    }
  }

  private void fixMode(Path path, int mode) throws DiskException {
    Optional<FileFacts> facts = disk.facts(path);
    if (facts.isPresent()
        && facts.get().kind() != FileFacts.Kind.LINK
        && facts.get().mode() != mode) {
      try {
        disk.setMode(path, mode);
        events.add(new StateEvent.Repaired(StateException.Reason.MODE_FIXED, path));
      } catch (DiskException e) {
        if (e.kind() != DiskException.Kind.READ_ONLY) {
          throw e;
        }
      }
    }
  }

  private StateStore.Owner self(long epoch) {
    return new StateStore.Owner(
        ProcessHandle.current().pid(), PROCESS_START, epoch, settings.host());
  }

  private StateException refusal(DiskException cause) {
    return new StateException(
        JournalTrouble.of(directory, cause).reason(),
        failed()
            + JournalTrouble.advised(
                cause, "Check that the directory above exists, and that this process may use it."),
        cause);
  }

  private StateException refused(StateException.Reason reason, String why) {
    return new StateException(reason, failed() + why);
  }

  private String failed() {
    return "Opening the state in " + shown() + " failed: ";
  }

  private String shown() {
    return JournalTrouble.shown(directory);
  }
}
