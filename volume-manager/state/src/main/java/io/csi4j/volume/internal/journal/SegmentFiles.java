package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.FileLook;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The segments in the directory of a journal, with their creation and replacement, and the reserve
 * file.
 */
final class SegmentFiles {

  /** The maximum size of a segment; a larger file was not written by this code. */
  static final int MAX_SIZE = 1 << 30;

  /** Files up to this size are read without checking their header first. */
  private static final int USUAL_SIZE = 16 << 20;

  /** Maximum number of bytes of a header. */
  private static final int HEAD = 8192;

  /**
   * Chunk size for deleting an old segment: deleting a larger chunk would take the kernel longer
   * than a sync.
   */
  static final int CUT = 256 * 1024;

  /** Number of writes to a segment between two checks for changes by another program. */
  static final int LOOK_EVERY = 16;

  private static final Pattern SEGMENT = Pattern.compile("seg-(\\d{8})\\.j");
  private static final Pattern UNFINISHED = Pattern.compile("seg-\\d{8}\\.new");

  private final Disk disk;
  private final Path directory;

  /** The reserve file, whose space is released when the disk is full. */
  private final Path ballast;

  private final int ballastSize;

  /** Maximum number of bytes that are read of a segment. */
  private final int mostRead;

  /** A segment that is no longer needed and too large to be deleted at once, if there is one. */
  private @Nullable Leftover leftover;

  /** The remainder of a file. */
  private record Leftover(Path path, DiskFile file, long length) {}

  SegmentFiles(Disk disk, Path directory, int ballastSize) {
    // The contents are also decoded, and the previous segment is read, too.
    this(
        disk,
        directory,
        ballastSize,
        (int) Math.min(MAX_SIZE, Runtime.getRuntime().maxMemory() / 2));
  }

  /**
   * Creates the access to the files of a journal.
   *
   * @param mostRead maximum number of bytes that are read of a segment
   */
  SegmentFiles(Disk disk, Path directory, int ballastSize, int mostRead) {
    this.mostRead = mostRead;
    this.disk = disk;
    this.directory = directory;
    this.ballast = directory.resolve("ballast");
    this.ballastSize = ballastSize;
  }

  /**
   * Returns the contents of all segments, by number. A segment that the device cannot read counts
   * as empty.
   */
  SortedMap<Integer, SegmentScan> scan() throws DiskException {
    return scan(new TreeMap<>());
  }

  /** Reads all segments again, and reuses the result for those whose bytes are unchanged. */
  SortedMap<Integer, SegmentScan> scan(SortedMap<Integer, SegmentScan> before)
      throws DiskException {
    SortedMap<Integer, SegmentScan> scans = new TreeMap<>();
    for (int number : numbers(disk.list(directory))) {
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
      return disk.read(path, sizeToRead(path, facts.get().size()));
    } catch (DiskException e) {
      if (e.kind() == DiskException.Kind.FAILED) {
        return new byte[0];
      }
      throw e;
    }
  }

  /**
   * Returns the number of bytes to read from a file. A segment that has grown is read up to its
   * original size and one byte more, which shows that it was changed.
   */
  private int sizeToRead(Path path, long size) throws DiskException {
    long wanted = Math.min(size, MAX_SIZE);
    if (size > Math.min(USUAL_SIZE, mostRead)) {
      Entry first = Entry.decode(disk.read(path, HEAD), 0);
      Header header = first == null ? null : Header.from(first);
      if (header != null && (header.isNewer() || header.capacity() > 0)) {
        wanted = header.isNewer() ? HEAD : Math.min(wanted, header.capacity() + 1);
      }
    }
    if (wanted > mostRead) {
      throw new DiskException(
          DiskException.Kind.TOO_LARGE,
          path.getFileName()
              + ": it has "
              + size
              + " bytes, of which "
              + wanted
              + " would have to be read, but this JVM has memory for only "
              + mostRead,
          null);
    }
    return (int) wanted;
  }

  Path path(int number) {
    return directory.resolve("seg-%08d.j".formatted(number));
  }

  /** Opens a segment to continue after its last record. */
  Segment open(int number, SegmentScan scan) throws DiskException {
    // The process that created it may have crashed before its name was synced.
    disk.syncDirectory(directory);
    Path path = path(number);
    Segment segment = new Segment(path, disk.open(path), number, scan.length(), scan.end());
    segment.remember();
    return segment;
  }

  /** Creates a segment under a temporary name, which is never read. */
  Segment begin(int number, int capacity) throws DiskException {
    Path unfinished = unfinished(number);
    disk.deleteFile(unfinished);
    return new Segment(path(number), disk.create(unfinished), number, capacity, 0);
  }

  /** Deletes a segment that still has its temporary name. */
  void giveUp(Segment begun) {
    begun.close();
    discard(unfinished(begun.number));
  }

  /**
   * Renames a segment to its final name, which makes it the newest one. After a failure, it still
   * has its temporary name.
   */
  void name(Segment whole) throws DiskException {
    try {
      disk.rename(unfinished(whole.number), whole.path);
    } catch (DiskException e) {
      if (isMissing(whole.path)) {
        throw e;
      }
      // The sync of the directory shows whether this succeeded.
    }
  }

  private boolean isMissing(Path path) {
    try {
      return disk.facts(path).isEmpty();
    } catch (DiskException e) {
      return false;
    }
  }

  /** Returns when the name of a segment is on the medium. After a failure, that is uncertain. */
  void keepName(Segment named) throws DiskException {
    disk.syncDirectory(directory);
    named.remember();
  }

  /** Deletes all but the newest segment and the one before it. */
  void tidy() {
    try {
      List<String> names = disk.list(directory);
      List<Integer> numbers = numbers(names);
      for (int number : numbers.subList(0, Math.max(0, numbers.size() - 2))) {
        remove(path(number));
      }
      for (String name : names) {
        if (UNFINISHED.matcher(name).matches()) {
          discard(directory.resolve(name));
        }
      }
    } catch (DiskException e) {
      // The next cleanup tries again.
    }
  }

  private void remove(Path segment) throws DiskException {
    Optional<FileFacts> facts = disk.facts(segment);
    boolean isLarge = facts.filter(SegmentFiles::isLarge).isPresent();
    if (leftover == null && isLarge) {
      leftover = new Leftover(segment, disk.open(segment), facts.get().size());
    } else if (leftover == null || !leftover.path.equals(segment)) {
      discard(segment);
    }
  }

  private static boolean isLarge(FileFacts facts) {
    return facts.kind() == FileFacts.Kind.FILE && facts.size() > CUT;
  }

  /** Whether there is a remainder of an old segment. */
  boolean hasLeftover() {
    return leftover != null;
  }

  /** Deletes a part of the remainder. */
  void cutLeftover() {
    Leftover now = leftover;
    if (now == null) {
      return;
    }
    long length = Math.max(0, now.length - CUT);
    leftover = new Leftover(now.path, now.file, length);
    try {
      now.file.cut(length);
    } catch (DiskException e) {
      length = 0;
    }
    if (length == 0) {
      dropLeftover();
    }
  }

  /** Deletes the complete remainder. */
  void dropLeftover() {
    Leftover now = leftover;
    if (now != null) {
      forgetLeftover();
      discard(now.path);
    }
  }

  /** Leaves the remainder to the next cleanup. */
  void forgetLeftover() {
    if (leftover != null) {
      leftover.file.close();
      leftover = null;
    }
  }

  /** Renames a file to a name under which it is not read. Empty if that fails. */
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

  /**
   * Creates the reserve file, if it does not exist. If it cannot be created, that is not a failure.
   */
  void restoreBallast() {
    if (!makeBallast() && leftover != null) {
      // On a full disk, the remainder of an old segment may be the only available space.
      dropLeftover();
      makeBallast();
    }
  }

  private boolean makeBallast() {
    try {
      Optional<FileFacts> facts = disk.facts(ballast);
      if (ballastSize == 0 || facts.filter(there -> there.size() >= ballastSize).isPresent()) {
        return true;
      }
      disk.deleteFile(ballast);
      try (DiskFile open = disk.create(ballast)) {
        open.write(0, new byte[ballastSize]);
        open.sync();
      }
      return true;
    } catch (DiskException e) {
      releaseBallast();
      return false;
    }
  }

  /** Deletes the reserve file to release its space. */
  void releaseBallast() {
    try {
      disk.deleteFile(ballast);
      // The space of a deleted file is free once the deletion is on the medium.
      disk.syncDirectory(directory);
    } catch (DiskException e) {
      // The next write that needs the space shows whether it is free.
    }
  }

  private static List<Integer> numbers(List<String> names) {
    return names.stream()
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
      // The file is not read, and the next compaction tries again.
    }
  }

  /** A preallocated file to which records are appended. */
  final class Segment {

    final Path path;
    private final DiskFile file;
    final int number;
    final int capacity;
    private int position;

    /** Whether there are unsynced records before the position. */
    private boolean isBehind;

    /** The state of the file at the last check. */
    private @Nullable FileLook left;

    /** Number of writes since the last check. */
    private int writes;

    private Segment(Path path, DiskFile file, int number, int capacity, int position) {
      this.path = path;
      this.file = file;
      this.number = number;
      this.capacity = capacity;
      this.position = position;
    }

    /** Records the state of the file, to detect changes by another program later. */
    private void remember() throws DiskException {
      left = disk.look(path).orElse(null);
      writes = 0;
    }

    /**
     * Writes records and syncs them with all earlier ones. After a failure, nothing more may be
     * written to this file.
     */
    void append(List<Entry> entries) throws DiskException {
      write(entries);
      sync();
    }

    /**
     * Writes records that are synced with the next ones. After a failure, nothing more may be
     * written, either.
     */
    void defer(List<Entry> entries) throws DiskException {
      write(entries);
    }

    private void write(List<Entry> entries) throws DiskException {
      write(Entry.encode(entries, isBehind));
      writes++;
      if (writes >= LOOK_EVERY) {
        remember();
      }
    }

    /** Appends bytes. */
    void write(byte[] bytes) throws DiskException {
      file.write(position, bytes);
      position += bytes.length;
      isBehind = true;
    }

    /** Extends the file to this length, with zeros. */
    void extend(int from, int to) throws DiskException {
      file.write(from, new byte[to - from]);
    }

    /** Returns when all written bytes are on the medium. */
    void sync() throws DiskException {
      file.sync();
      isBehind = false;
    }

    /**
     * Whether the next write needs a check of the file first. Not for every write: after a read of
     * the modification time, the next write has to store a new one, which makes its sync 50%
     * slower.
     */
    boolean isDue() {
      return left == null || writes == 0;
    }

    /**
     * Whether the file is unchanged since the last write of this segment; the modification time is
     * only compared if it was recorded after the last write.
     */
    boolean isUntouched() throws DiskException {
      FileLook before = left;
      Optional<FileLook> now = disk.look(path);
      if (before == null || now.isEmpty()) {
        return false;
      }
      return writes == 0
          ? now.get().equals(before)
          : now.get().identity().equals(before.identity()) && now.get().size() == before.size();
    }

    /** Whether there are unsynced bytes. */
    boolean isBehind() {
      return isBehind;
    }

    int position() {
      return position;
    }

    int room() {
      return capacity - position;
    }

    /** Returns the space that is reserved for releases. */
    int reserve() {
      return capacity / 8;
    }

    void close() {
      file.close();
    }
  }
}
