package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.FileFacts;
import java.nio.file.Path;
import java.util.Optional;

/** A file that holds nothing but space, to be given up when the disk is full. */
final class Ballast {

  private final Disk disk;
  private final Path directory;
  private final Path file;
  private final int size;

  Ballast(Disk disk, Path directory, int size) {
    this.disk = disk;
    this.directory = directory;
    this.file = directory.resolve("ballast");
    this.size = size;
  }

  /** Makes it, if it is not there. That it cannot be made is no failure. */
  void restore() {
    try {
      Optional<FileFacts> facts = disk.facts(file);
      if (size == 0 || facts.filter(there -> there.size() >= size).isPresent()) {
        return;
      }
      disk.deleteFile(file);
      try (DiskFile open = disk.create(file)) {
        open.write(0, new byte[size]);
        open.sync();
      }
    } catch (DiskException e) {
      release();
    }
  }

  /** Gives up the space. */
  void release() {
    try {
      disk.deleteFile(file);
      // The space of a deleted file is free when that is on the medium.
      disk.syncDirectory(directory);
    } catch (DiskException e) {
      // The next write that needs the space finds out.
    }
  }
}
