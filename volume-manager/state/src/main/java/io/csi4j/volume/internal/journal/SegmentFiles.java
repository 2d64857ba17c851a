package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The segments in the directory of a journal: which there are, and how one takes over. */
final class SegmentFiles {

  /** A segment that is larger was not written by this code. */
  private static final int MAX_READ = 1 << 30;

  private static final Pattern SEGMENT = Pattern.compile("seg-(\\d{8})\\.j");
  private static final Pattern UNFINISHED = Pattern.compile("seg-\\d{8}\\.new");

  private final Disk disk;
  private final Path directory;

  SegmentFiles(Disk disk, Path directory) {
    this.disk = disk;
    this.directory = directory;
  }

  /**
   * Returns the contents of all segments, by number. A segment that the device cannot read is an
   * empty one.
   */
  SortedMap<Integer, SegmentScan> scan() throws DiskException {
    return scan(new TreeMap<>());
  }

  /** Returns the contents again; segments whose bytes are as at an earlier look hold the same. */
  SortedMap<Integer, SegmentScan> scan(SortedMap<Integer, SegmentScan> before)
      throws DiskException {
    SortedMap<Integer, SegmentScan> scans = new TreeMap<>();
    for (int number : numbers()) {
      byte[] bytes = read(path(number));
      SegmentScan known = before.get(number);
      scans.put(number, known != null && known.isOf(bytes) ? known : SegmentScan.of(bytes));
    }
    return scans;
  }

  private byte[] read(Path path) throws DiskException {
    Optional<FileFacts> facts = disk.facts(path);
    if (facts.isEmpty() || facts.get().kind() != FileFacts.Kind.FILE) {
      return new byte[0];
    }
    try {
      return disk.read(path, MAX_READ);
    } catch (DiskException e) {
      if (e.kind() == DiskException.Kind.FAILED) {
        return new byte[0];
      }
      throw e;
    }
  }

  Path path(int number) {
    return directory.resolve("seg-%08d.j".formatted(number));
  }

  /** Opens a segment to go on writing where its records end. */
  Segment open(int number, SegmentScan scan) throws DiskException {
    // The process that made it may have crashed before its name was kept.
    disk.syncDirectory(directory);
    Path path = path(number);
    return new Segment(disk, path, disk.open(path), number, scan.length(), scan.end());
  }

  /** Writes a segment under a name that nothing reads, and syncs it. */
  Segment prepare(int number, int capacity, List<Entry> entries) throws DiskException {
    Path unfinished = unfinished(number);
    disk.deleteFile(unfinished);
    DiskFile file = disk.create(unfinished);
    boolean done = false;
    try {
      byte[] all = new byte[capacity];
      int at = 0;
      for (Entry entry : entries) {
        byte[] bytes = entry.encode();
        System.arraycopy(bytes, 0, all, at, bytes.length);
        at += bytes.length;
      }
      file.write(0, all);
      file.sync();
      done = true;
      return new Segment(disk, path(number), file, number, capacity, at);
    } finally {
      if (!done) {
        file.close();
        discard(unfinished);
      }
    }
  }

  /** Makes a prepared segment the newest one. After a failure it may be that or not. */
  void publish(Segment prepared) throws DiskException {
    disk.rename(unfinished(prepared.number()), prepared.path());
    disk.syncDirectory(directory);
    prepared.remember();
  }

  /** Keeps the newest segment and the one before it, and nothing unfinished. */
  void tidy() {
    try {
      List<Integer> numbers = numbers();
      for (int number : numbers.subList(0, Math.max(0, numbers.size() - 2))) {
        discard(path(number));
      }
      for (String name : disk.list(directory)) {
        if (UNFINISHED.matcher(name).matches()) {
          discard(directory.resolve(name));
        }
      }
    } catch (DiskException e) {
      // What is not tidied now is tidied the next time.
    }
  }

  /** Gives a file a name under which nothing reads it. Empty when that is not possible. */
  Optional<Path> keepAside(int number, long epoch) {
    Path from = path(number);
    Path to = directory.resolve(from.getFileName() + ".damaged-" + epoch);
    try {
      if (disk.facts(from).isEmpty() || disk.facts(to).isPresent()) {
        return Optional.empty();
      }
      disk.rename(from, to);
      disk.syncDirectory(directory);
      return Optional.of(to);
    } catch (DiskException e) {
      return Optional.empty();
    }
  }

  private List<Integer> numbers() throws DiskException {
    return disk.list(directory).stream()
        .map(SEGMENT::matcher)
        .filter(Matcher::matches)
        .map(name -> Integer.valueOf(name.group(1)))
        .sorted()
        .toList();
  }

  private Path unfinished(int number) {
    return directory.resolve("seg-%08d.new".formatted(number));
  }

  private void discard(Path file) {
    try {
      disk.deleteFile(file);
    } catch (DiskException e) {
      // Nothing reads it, and the next compaction tries again.
    }
  }
}
