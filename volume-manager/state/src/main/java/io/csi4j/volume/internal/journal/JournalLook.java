package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The contents of a journal's directory, read while its owner may be writing. Nothing is written or
 * locked.
 *
 * @param state the state that an opening journal would load
 * @param owner the last owner, as it recorded itself
 * @param isHeld whether a process visible from here holds the lock
 * @param keptAside the names of damaged files that were kept for inspection
 */
public record JournalLook(
    LoadedState state, Optional<StateStore.Owner> owner, boolean isHeld, List<String> keptAside) {

  /** A segment that is written while it is read looks torn; it is then read again. */
  private static final int LOOKS = 10;

  private static final Path LOCKS = Path.of("/proc/locks");
  private static final int LOCKS_LIMIT = 4 << 20;
  private static final Pattern DAMAGED = Pattern.compile("seg-\\d{8}\\.j\\.damaged-\\d+");

  /** Copies the list. */
  public JournalLook {
    keptAside = List.copyOf(keptAside);
  }

  /**
   * Reads the directory.
   *
   * @throws StateException if there is no journal, a newer version wrote it, or it cannot be read
   */
  public static JournalLook at(Disk disk, Path directory) {
    try {
      if (disk.facts(directory).isEmpty()) {
        throw refused(
            StateException.Reason.STATE_NOT_USABLE,
            directory,
            "there is no such directory. Give the directory of a journal.");
      }
      Ownership ownership = new Ownership(disk, directory);
      SegmentFiles files = new SegmentFiles(disk, directory, 0);
      SortedMap<Integer, SegmentScan> scans = scan(files, new TreeMap<>());
      if (scans.isEmpty() && disk.facts(directory.resolve("owner")).isEmpty()) {
        throw refused(
            StateException.Reason.STATE_MISSING,
            directory,
            "it has no journal (neither a file seg-*.j nor a file 'owner'). Give the directory of"
                + " a journal.");
      }
      Replay replay = replay(scans, directory);
      for (int look = 1; look < LOOKS && !replay.found().isEmpty(); look++) {
        SortedMap<Integer, SegmentScan> again = scan(files, scans);
        if (again.equals(scans)) {
          break;
        }
        scans = again;
        replay = replay(scans, directory);
      }
      Optional<StateStore.Owner> owner = ownership.recorded();
      return new JournalLook(
          replay.live().toLoaded(replay.writtenOn()),
          owner,
          isHeld(disk, directory.resolve("lock"), owner),
          disk.list(directory).stream().filter(DAMAGED.asMatchPredicate()).toList());
    } catch (DiskException e) {
      throw new StateException(
          JournalTrouble.of(directory, e).reason(),
          failed(directory)
              + JournalTrouble.advised(e, "Let this user read the directory and the files in it."),
          e);
    }
  }

  /** The segments; if the owner deletes one between two steps, the directory is listed again. */
  private static SortedMap<Integer, SegmentScan> scan(
      SegmentFiles files, SortedMap<Integer, SegmentScan> before) throws DiskException {
    for (int look = 1; ; look++) {
      try {
        return files.scan(before);
      } catch (DiskException e) {
        if (e.kind() != DiskException.Kind.NOT_FOUND || look == LOOKS) {
          throw e;
        }
      }
    }
  }

  private static Replay replay(SortedMap<Integer, SegmentScan> scans, Path directory) {
    if (scans.values().stream().anyMatch(SegmentScan::isNewer)) {
      throw refused(
          StateException.Reason.STATE_FROM_NEWER_VERSION,
          directory,
          "a newer version of csi4j wrote it. Read it with that version or a later one.");
    }
    return JournalOpening.sum(scans, true, directory);
  }

  /**
   * Reads the kernel's table of locks: taking the lock, even for a moment, could prevent an owner
   * from opening the journal. The table contains the device of the filesystem, which on some
   * filesystems differs from the one that a file shows; in that case, the owner's process is
   * checked.
   */
  private static boolean isHeld(Disk disk, Path lock, Optional<StateStore.Owner> owner)
      throws DiskException {
    Optional<FileFacts> facts = disk.facts(lock);
    if (facts.isEmpty()) {
      return false;
    }
    String[] identity = facts.get().identity().split(":", 2);
    long device = Long.parseLong(identity[0]);
    long major = (device >>> 8 & 0xfff) | (device >>> 32 & 0xfffff000L);
    long minor = (device & 0xff) | (device >>> 12 & 0xffffff00L);
    String inode = ":" + identity[1] + " ";
    String place = String.format(Locale.ROOT, " %02x:%02x%s", major, minor, inode);
    String holder = owner.map(known -> " WRITE " + known.pid() + " ").orElse(place);
    try {
      return new String(disk.read(LOCKS, LOCKS_LIMIT), StandardCharsets.ISO_8859_1)
          .lines()
          .filter(line -> line.contains(" WRITE ") && line.contains(inode))
          .anyMatch(line -> line.contains(place) || line.contains(holder));
    } catch (DiskException e) {
      return false;
    }
  }

  private static StateException refused(StateException.Reason reason, Path directory, String why) {
    return new StateException(reason, failed(directory) + why);
  }

  private static String failed(Path directory) {
    return "Reading the state in " + JournalTrouble.shown(directory) + " failed: ";
  }
}
