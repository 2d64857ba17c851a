package io.csi4j.volume.internal.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The operations on directories and files that the volume manager needs. An interrupt neither ends
 * nor fails an operation, and stays set. Links are not followed at the last part of a path.
 *
 * <p>After a power cut, a file has the bytes of its last sync, plus any part of what was written
 * since; likewise, each name in a directory is the old or the new one.
 */
public interface Disk {

  /** Returns the facts of a path; empty if it does not exist. */
  Optional<FileFacts> facts(Path path) throws DiskException;

  /** Returns the status of a path, which is cheaper than all facts; empty if it does not exist. */
  default Optional<FileStatus> status(Path path) throws DiskException {
    return facts(path).map(FileStatus::of);
  }

  /** Returns how a path looks, which is cheaper than all facts; empty if it does not exist. */
  default Optional<FileLook> look(Path path) throws DiskException {
    return facts(path).map(facts -> new FileLook(facts.identity(), facts.size(), facts.modified()));
  }

  /** Returns the names in a directory, sorted. */
  List<String> list(Path directory) throws DiskException;

  /** Returns the first bytes of a file, at most {@code limit}. */
  byte[] read(Path file, int limit) throws DiskException;

  /** Creates a directory with mode 0700. */
  void createDirectory(Path directory) throws DiskException;

  /** Creates a file that must not exist, with mode 0600, and opens it for writing. */
  DiskFile create(Path file) throws DiskException;

  /** Writes a file that must not exist, with mode 0600, and does not sync it. */
  default void write(Path file, byte[] content) throws DiskException {
    try (DiskFile open = create(file)) {
      open.write(0, content);
    }
  }

  /** Opens an existing file for writing. */
  DiskFile open(Path file) throws DiskException;

  /** Renames a file atomically, replacing an existing file. */
  void rename(Path from, Path to) throws DiskException;

  /** Deletes a file or link. Does nothing if it does not exist. */
  void deleteFile(Path file) throws DiskException;

  /** Removes an empty directory. */
  void removeDirectory(Path directory) throws DiskException;

  /** Sets the permission bits of a file or directory. */
  void setMode(Path path, int mode) throws DiskException;

  /** Returns when the names of a directory are on the medium. */
  void syncDirectory(Path directory) throws DiskException;

  /**
   * Holds a directory open, so that its inode number is not reused meanwhile: until it is closed,
   * equal identities mean the same directory. A disk that never reuses numbers need not hold it.
   */
  default HeldDirectory hold(Path directory) throws DiskException {
    FileLook there =
        look(directory)
            .orElseThrow(
                () ->
                    new DiskException(
                        DiskException.Kind.NOT_FOUND, "'" + directory + "' does not exist", null));
    return new HeldDirectory(there.identity(), () -> {});
  }

  /** Returns the id of the user of this process. */
  int user() throws DiskException;

  /** Returns the type of the filesystem, such as {@code ext4}. */
  String filesystemType(Path directory) throws DiskException;

  /**
   * Locks a file, which is created if missing, against other processes and other users in this
   * process; empty if it is already locked. The kernel releases the lock when the process ends.
   */
  Optional<HeldLock> tryLock(Path file) throws DiskException;
}
