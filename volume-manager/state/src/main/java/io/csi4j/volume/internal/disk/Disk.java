package io.csi4j.volume.internal.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The operations on directories and files that the volume manager needs, and no others. An
 * interrupt neither ends nor fails one of them, and stays set. No link is followed at the last part
 * of a path.
 *
 * <p>What a power cut leaves: the bytes of a file as they were when it was last synced, plus any
 * part of what was written since; the names of a directory likewise, each name old or new.
 */
public interface Disk {

  /** Returns the facts of a path, or empty when there is nothing. */
  Optional<FileFacts> facts(Path path) throws DiskException;

  /** Returns the status of a path, or empty when there is nothing; cheaper than all facts. */
  default Optional<FileStatus> status(Path path) throws DiskException {
    return facts(path).map(FileStatus::of);
  }

  /** Returns how something looks, or empty when there is nothing; cheaper than all facts. */
  default Optional<FileLook> look(Path path) throws DiskException {
    return facts(path).map(facts -> new FileLook(facts.identity(), facts.size(), facts.modified()));
  }

  /** The names in a directory, sorted. */
  List<String> list(Path directory) throws DiskException;

  /** The bytes of a file, at most {@code limit} of them, from its beginning. */
  byte[] read(Path file, int limit) throws DiskException;

  /** Makes a directory with a mode of 0700. */
  void createDirectory(Path directory) throws DiskException;

  /** Makes a file that must not be there, with a mode of 0600, and opens it for writing. */
  DiskFile create(Path file) throws DiskException;

  /** Writes a file that must not be there, with a mode of 0600, and does not sync it. */
  default void write(Path file, byte[] content) throws DiskException {
    try (DiskFile open = create(file)) {
      open.write(0, content);
    }
  }

  /** Opens a file that must be there for writing. */
  DiskFile open(Path file) throws DiskException;

  /** Gives a file another name in one step; what had that name is gone. */
  void rename(Path from, Path to) throws DiskException;

  /** Deletes a file or link. Nothing there is no error. */
  void deleteFile(Path file) throws DiskException;

  /** Removes a directory that is empty. */
  void removeDirectory(Path directory) throws DiskException;

  /** Sets the permission bits of a file or directory. */
  void setMode(Path path, int mode) throws DiskException;

  /** Returns when the names of a directory are on the medium. */
  void syncDirectory(Path directory) throws DiskException;

  /**
   * Holds a directory open, so that its number is given to no other for as long as that: until then
   * two equal identities are one directory. A disk that gives out no number twice need not hold it.
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

  /** The number of the user that this process acts as. */
  int user() throws DiskException;

  /** The type of the filesystem, such as {@code ext4}. */
  String filesystemType(Path directory) throws DiskException;

  /**
   * Locks a file, made when missing, against all other processes and all of this one; empty when
   * another has it. The kernel lets go of it when the process ends.
   */
  Optional<HeldLock> tryLock(Path file) throws DiskException;
}
