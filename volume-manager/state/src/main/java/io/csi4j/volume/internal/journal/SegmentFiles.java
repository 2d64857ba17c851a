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
 * The segments in the directory of a journal: which there are, and how one takes over; and the
 * ballast beside them.
 */
final class SegmentFiles {

  /** A segment that is larger was not written by this code. */
  static final int MAX_SIZE = 1 << 30;

  /** A file up to this size is read without a look at its header. */
  private static final int USUAL_SIZE = 16 << 20;

  /** Maximum number of bytes that a header takes. */
  private static final int HEAD = 8192;

  /**
   * So much of a file is given up at once: the kernel would take longer than for a sync to delete a
   * larger one.
   */
  static final int CUT = 256 * 1024;

  /** So many writes to a segment go by between two looks whether another program touched it. */
  static final int LOOK_EVERY = 16;

  private static final Pattern SEGMENT = Pattern.compile("seg-(\\d{8})\\.j");
  private static final Pattern UNFINISHED = Pattern.compile("seg-\\d{8}\\.new");

  private final Disk disk;
  private final Path directory;

  /** A file that holds nothing but space, to be given up when the disk is full. */
  private final Path ballast;

  private final int ballastSize;

  /** Maximum number of bytes that are read of a segment. */
  private final int mostRead;

  /** A segment that is not needed any more and too large to be deleted at once, if there is one. */
  private @Nullable Leftover leftover;

  /** What is left of a file. */
  private record Leftover(Path path, DiskFile file, long length) {}

  SegmentFiles(Disk disk, Path directory, int ballastSize) {
    // What is read is decoded, and the segment before the newest one is read too.
    this(
        disk,
        directory,
        ballastSize,
        (int) Math.min(MAX_SIZE, Runtime.getRuntime().maxMemory() / 2));
  }

  /**
   * The files of a journal.
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
   * Returns the number of bytes that are read of a file. A segment that has grown ends where it was
   * made to end: the byte after that shows that it is not as it was made.
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
              + " would have to be read, and this JVM has memory for "
              + mostRead,
          null);
    }
    return (int) wanted;
  }

  Path path(int number) {
    return directory.resolve("seg-%08d.j".formatted(number));
  }

  /** Opens a segment to go on writing where its records end. */
  Segment open(int number, SegmentScan scan) throws DiskException {
    // The process that made it may have crashed before its name was kept.
    disk.syncDirectory(directory);
    Path path = path(number);
    Segment segment = new Segment(path, disk.open(path), number, scan.length(), scan.end());
    segment.remember();
    return segment;
  }

  /** Begins a segment under a name that nothing reads. */
  Segment begin(int number, int capacity) throws DiskException {
    Path unfinished = unfinished(number);
    disk.deleteFile(unfinished);
    return new Segment(path(number), disk.create(unfinished), number, capacity, 0);
  }

  /** Gives up a segment that has no name yet. */
  void giveUp(Segment begun) {
    begun.close();
    discard(unfinished(begun.number));
  }

  /** Gives a segment its name, so that it is the newest one. After a failure it has none. */
  void name(Segment whole) throws DiskException {
    try {
      disk.rename(unfinished(whole.number), whole.path);
    } catch (DiskException e) {
      if (isMissing(whole.path)) {
        throw e;
      }
      // The sync of the names tells what has become of it.
    }
  }

  private boolean isMissing(Path path) {
    try {
      return disk.facts(path).isEmpty();
    } catch (DiskException e) {
      return false;
    }
  }

  /** Returns when the name of a segment is on the medium. After a failure it may be that or not. */
  void keepName(Segment named) throws DiskException {
    disk.syncDirectory(directory);
    named.remember();
  }

  /** Keeps the newest segment and the one before it, and nothing unfinished. */
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
      // What is not tidied now is tidied the next time.
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

  /** Whether something is left of a segment that is not needed any more. */
  boolean hasLeftover() {
    return leftover != null;
  }

  /** Gives up some of what is left. */
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

  /** Gives up all that is left. */
  void dropLeftover() {
    Leftover now = leftover;
    if (now != null) {
      forgetLeftover();
      discard(now.path);
    }
  }

  /** Leaves what is left to the next who tidies up. */
  void forgetLeftover() {
    if (leftover != null) {
      leftover.file.close();
      leftover = null;
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

  /** Makes the ballast, if it is not there. That it cannot be made is no failure. */
  void restoreBallast() {
    if (!makeBallast() && leftover != null) {
      // On a full disk what is left of an old segment may be the only space that there is.
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

  /** Gives up the space of the ballast. */
  void releaseBallast() {
    try {
      disk.deleteFile(ballast);
      // The space of a deleted file is free when that is on the medium.
      disk.syncDirectory(directory);
    } catch (DiskException e) {
      // The next write that needs the space finds out.
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
      // Nothing reads it, and the next compaction tries again.
    }
  }

  /** A preallocated file that records are written into, one after the other. */
  final class Segment {

    final Path path;
    private final DiskFile file;
    final int number;
    final int capacity;
    private int position;

    /** Whether records before the position are not synced. */
    private boolean isBehind;

    /** How the file looked when it was looked at last. */
    private @Nullable FileLook left;

    /** How often was written since then. */
    private int writes;

    private Segment(Path path, DiskFile file, int number, int capacity, int position) {
      this.path = path;
      this.file = file;
      this.number = number;
      this.capacity = capacity;
      this.position = position;
    }

    /** Remembers how the file looks, to tell later whether another program touched it. */
    private void remember() throws DiskException {
      left = disk.look(path).orElse(null);
      writes = 0;
    }

    /**
     * Writes records and syncs them, with all before them. After a failure nothing may be written
     * here any more.
     */
    void append(List<Entry> entries) throws DiskException {
      write(entries);
      sync();
    }

    /** Writes records that are synced with the next ones. As for those after a failure. */
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

    /** Writes bytes behind those that are there. */
    void write(byte[] bytes) throws DiskException {
      file.write(position, bytes);
      position += bytes.length;
      isBehind = true;
    }

    /** Makes the file as long as this, with nothing in it. */
    void extend(int from, int to) throws DiskException {
      file.write(from, new byte[to - from]);
    }

    /** Returns when all that was written is on the medium. */
    void sync() throws DiskException {
      file.sync();
      isBehind = false;
    }

    /**
     * Whether the next write must not be made without a look. Not every time: asking for the time
     * of change makes the next write store one, which costs its sync half as much again.
     */
    boolean isDue() {
      return left == null || writes == 0;
    }

    /**
     * Whether the file is still as this segment left it; the time of change tells only if that was
     * remembered after the last write.
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

    /** Whether something was written that is not synced. */
    boolean isBehind() {
      return isBehind;
    }

    int position() {
      return position;
    }

    int room() {
      return capacity - position;
    }

    /** The room that only giving back may use. */
    int reserve() {
      return capacity / 8;
    }

    void close() {
      file.close();
    }
  }
}
