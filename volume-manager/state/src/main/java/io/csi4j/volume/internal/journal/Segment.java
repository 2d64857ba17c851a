package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A preallocated file that records are written into, one after the other. */
final class Segment {

  private final Disk disk;
  private final Path path;
  private final DiskFile file;
  private final int number;
  private final int capacity;
  private int position;
  private @Nullable FileFacts left;

  Segment(Disk disk, Path path, DiskFile file, int number, int capacity, int position) {
    this.disk = disk;
    this.path = path;
    this.file = file;
    this.number = number;
    this.capacity = capacity;
    this.position = position;
  }

  /** Remembers how the file looks, to tell later whether another program touched it. */
  Segment remember() throws DiskException {
    left = disk.facts(path).orElse(null);
    return this;
  }

  /** Writes records and syncs them. After a failure nothing may be written here any more. */
  void append(List<Entry> entries) throws DiskException {
    byte[] bytes = Entry.encode(entries);
    file.write(position, bytes);
    file.sync();
    position += bytes.length;
    remember();
  }

  /** Whether the file is still as this segment left it. */
  boolean isUntouched() throws DiskException {
    Optional<FileFacts> now = disk.facts(path);
    return now.isPresent() && now.get().equals(left);
  }

  int room() {
    return capacity - position;
  }

  /** The room that only giving back may use. */
  int reserve() {
    return capacity / 8;
  }

  int number() {
    return number;
  }

  int capacity() {
    return capacity;
  }

  Path path() {
    return path;
  }

  void close() {
    file.close();
  }
}
