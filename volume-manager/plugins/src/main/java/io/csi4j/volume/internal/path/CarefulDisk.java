package io.csi4j.volume.internal.path;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.FileStatus;
import io.csi4j.volume.internal.disk.HeldDirectory;
import io.csi4j.volume.internal.path.PathProblem.Kind;
import io.csi4j.volume.model.OperatorCode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A disk for directories that no other program should change. It checks the path before each
 * action, follows no links, removes only empty directories, and reports problems as {@link
 * PathProblem}.
 */
public final class CarefulDisk {

  private static final int DIRECTORY_MODE = 0700;
  private static final int FILE_MODE = 0600;

  private final Disk disk;

  /** Creates a careful disk that acts on {@code disk}. */
  public CarefulDisk(Disk disk) {
    this.disk = disk;
  }

  /** An operation of the disk. */
  @FunctionalInterface
  private interface Operation<T> {
    T on(Path path) throws DiskException;
  }

  /** Returns the status of a file; empty if there is none. */
  public Optional<FileStatus> look(MountPath path) throws PathProblem {
    return attempt("looked at", path, disk::status);
  }

  /** Returns all facts of a file; empty if there is none. */
  public Optional<FileFacts> facts(MountPath path) throws PathProblem {
    return attempt("looked at", path, disk::facts);
  }

  /** Returns whether a directory exists. Anything else at the path is a problem. */
  public boolean isDirectory(MountPath path) throws PathProblem {
    return only(FileFacts.Kind.DIRECTORY, path).isPresent();
  }

  /** Returns whether a regular file exists. Anything else at the path is a problem. */
  public boolean isFile(MountPath path) throws PathProblem {
    return only(FileFacts.Kind.FILE, path).isPresent();
  }

  /**
   * Returns the status of a regular file; empty if nothing is there. Anything else is a problem.
   */
  public Optional<FileStatus> file(MountPath path) throws PathProblem {
    return only(FileFacts.Kind.FILE, path);
  }

  private Optional<FileStatus> only(FileFacts.Kind kind, MountPath path) throws PathProblem {
    Optional<FileStatus> there = look(path);
    if (there.isPresent() && there.get().kind() != kind) {
      String wanted = kind == FileFacts.Kind.FILE ? "a file of csi4j" : "a directory";
      throw inTheWay(path, there.get(), wanted);
    }
    return there;
  }

  /** Whether a directory existed or was created. */
  public enum Made {
    /** The directory existed. */
    BEFORE,
    /** The directory was created with the wanted mode. */
    NOW,
    /** The directory was created, and its mode was corrected. */
    CORRECTED
  }

  /** Creates a directory for this user only, if there is none. Returns whether it was created. */
  public boolean make(MountPath path, List<Finding> findings) throws PathProblem {
    return made(path, findings) != Made.BEFORE;
  }

  /** Creates a directory for this user only, if there is none. */
  public Made made(MountPath path, List<Finding> findings) throws PathProblem {
    Optional<FileStatus> there = only(FileFacts.Kind.DIRECTORY, path);
    if (there.isPresent()) {
      restrict(path, there.get(), DIRECTORY_MODE, findings);
      return Made.BEFORE;
    }
    return madeNew(path, findings);
  }

  /** Does the same, with fewer looks if there is no such directory yet. */
  public Made madeNew(MountPath path, List<Finding> findings) throws PathProblem {
    if (!create(path)) {
      return made(path, findings);
    }
    // The umask can remove bits from the mode, and a default ACL can change some.
    return restrict(path, DIRECTORY_MODE) ? Made.CORRECTED : Made.NOW;
  }

  /**
   * Creates a directory inside a parent that was just created with the result {@link Made#NOW}. So
   * nothing exists at the path, and the new directory gets the wanted mode without a correction.
   */
  public void makeInside(MountPath path, List<Finding> findings) throws PathProblem {
    if (!create(path)) {
      make(path, findings);
    }
  }

  /** Creates a directory, unless another thread creates it at the same time. */
  private boolean create(MountPath path) throws PathProblem {
    try {
      change("made", path, disk::createDirectory);
      return true;
    } catch (PathProblem problem) {
      if (problem.kind() == Kind.IN_THE_WAY && isDirectory(path)) {
        return false;
      }
      throw problem;
    }
  }

  /**
   * Replaces a file, but does not sync it. If the process ends at any moment, the file has either
   * the old or the new content. A power loss can leave the file empty, or remove it.
   */
  public void replace(MountPath path, MountPath temporary, byte[] content) throws PathProblem {
    delete(temporary);
    change("written", temporary, it -> disk.write(it, content));
    restrict(temporary, FILE_MODE);
    change("given its name", path, it -> disk.rename(temporary.toPath(), it));
  }

  /**
   * Replaces a file, like {@link #replace}, inside a directory that was just created with the
   * result {@link Made#NOW}.
   */
  public void writeInside(MountPath path, MountPath temporary, byte[] content) throws PathProblem {
    change("written", temporary, it -> disk.write(it, content));
    change("given its name", path, it -> disk.rename(temporary.toPath(), it));
  }

  /**
   * Restricts the access to a file of this user to its owner. The caller has already read the
   * file's status.
   */
  public void restrictFile(MountPath path, FileStatus there, List<Finding> findings)
      throws PathProblem {
    restrict(path, there, FILE_MODE, findings);
  }

  /**
   * Restricts the access to a file or directory that was just created. Returns whether its mode had
   * to be corrected.
   */
  private boolean restrict(MountPath path, int mode) throws PathProblem {
    Optional<FileStatus> there = look(path);
    List<Finding> corrected = new ArrayList<>();
    if (there.isPresent()) {
      restrict(path, there.get(), mode, corrected);
    }
    return !corrected.isEmpty();
  }

  private void restrict(MountPath path, FileStatus there, int mode, List<Finding> findings)
      throws PathProblem {
    if (there.mode() != mode) {
      change("restricted to us", path, it -> disk.setMode(it, mode));
      findings.add(
          new Finding(
              OperatorCode.MODE_FIXED,
              path,
              "'%s' had mode %s, and was reset to %s; find out who changed it"
                  .formatted(path, octal(there.mode()), octal(mode))));
    }
  }

  /** Returns the names in a directory. */
  public List<String> names(MountPath directory) throws PathProblem {
    return attempt("listed", directory, disk::list);
  }

  /** Returns the bytes of a file, up to the limit. */
  public byte[] read(MountPath path, int limit) throws PathProblem {
    return attempt("read", path, it -> disk.read(it, limit));
  }

  /** Deletes a file of this user. Succeeds if the file is missing. */
  public void delete(MountPath file) throws PathProblem {
    if (isFile(file)) {
      deleteSeen(file);
    }
  }

  /** Deletes a file of this user that the caller has just checked. */
  public void deleteSeen(MountPath file) throws PathProblem {
    change("deleted", file, disk::deleteFile);
  }

  /**
   * Deletes a socket without a listener. Succeeds if the socket is missing. A file of another kind
   * at the path is a problem.
   */
  public void deleteSocket(MountPath socket) throws PathProblem {
    Optional<FileStatus> there = look(socket);
    if (there.isPresent() && there.get().kind() != FileFacts.Kind.SOCKET) {
      throw inTheWay(socket, there.get(), "a socket");
    }
    if (there.isPresent()) {
      change("deleted", socket, disk::deleteFile);
    }
  }

  /** Removes an empty directory. A directory that is not empty is a problem. */
  public void removeEmpty(MountPath directory) throws PathProblem {
    try {
      change("removed", directory, disk::removeDirectory);
    } catch (PathProblem problem) {
      int entries = isDirectory(directory) ? names(directory).size() : 0;
      throw entries > 0 ? notEmpty(directory, entries) : problem;
    }
  }

  /** Removes a directory if it exists and is empty; returns whether it was removed. */
  public boolean removeIfEmpty(MountPath directory) {
    try {
      change("removed", directory, disk::removeDirectory);
      return true;
    } catch (PathProblem problem) {
      return false;
    }
  }

  /** Syncs the names in a directory. */
  public void sync(MountPath directory) throws PathProblem {
    change("synced", directory, disk::syncDirectory);
  }

  /** Opens a directory, and keeps it open. */
  public HeldDirectory hold(MountPath directory) throws PathProblem {
    return attempt("opened", directory, disk::hold);
  }

  /**
   * Returns whether a path leads to exactly this directory. This check is cheaper than reading all
   * facts of the path.
   */
  public boolean isAt(MountPath path, HeldDirectory directory) throws PathProblem {
    return attempt("looked at", path, disk::look)
        .filter(there -> there.identity().equals(directory.identity()))
        .isPresent();
  }

  /** Returns the type of the filesystem. */
  public String filesystemType(MountPath directory) throws PathProblem {
    return attempt("looked at", directory, disk::filesystemType);
  }

  /** Returns the user id of this process. */
  public int user(MountPath asking) throws PathProblem {
    return attempt("looked at", asking, it -> disk.user());
  }

  // ---- problems

  public static PathProblem notEmpty(MountPath directory, int entries) {
    return new PathProblem(
        Kind.NOT_EMPTY,
        directory,
        ("'%s' contains %d %s that csi4j did not create, and nothing was deleted; check the "
                + "contents and move them away")
            .formatted(directory, entries, entries == 1 ? "entry" : "entries"));
  }

  /** Returns the problem for a path that has a file of another kind than wanted. */
  public static PathProblem inTheWay(MountPath path, FileStatus there, String wanted) {
    return switch (there.kind()) {
      case LINK ->
          new PathProblem(
              Kind.SYMLINK,
              path,
              ("'%s' is a symbolic link, and links are not followed; find out who put it there "
                      + "and remove it")
                  .formatted(path));
      case FILE, DIRECTORY, BLOCK_DEVICE, SOCKET, OTHER ->
          new PathProblem(
              Kind.IN_THE_WAY,
              path,
              "'%s' is %s instead of %s; find out who put it there and move it away"
                  .formatted(path, shown(there), wanted));
    };
  }

  private static String shown(FileStatus there) {
    return switch (there.kind()) {
      case FILE -> "a file of " + there.size() + " bytes";
      case DIRECTORY -> "a directory";
      case LINK -> "a symbolic link";
      case BLOCK_DEVICE -> "a block device";
      case SOCKET -> "a socket";
      case OTHER -> "neither a file nor a directory";
    };
  }

  public static String octal(int mode) {
    return "0%o".formatted(mode);
  }

  /** An operation that changes the disk and returns nothing. */
  @FunctionalInterface
  private interface Change {
    void on(Path path) throws DiskException;
  }

  private void change(String doing, MountPath path, Change change) throws PathProblem {
    var unused =
        attempt(
            doing,
            path,
            it -> {
              change.on(it);
              return true;
            });
  }

  private <T> T attempt(String doing, MountPath path, Operation<T> operation) throws PathProblem {
    try {
      return operation.on(path.toPath());
    } catch (InvalidPathException e) {
      throw new PathProblem(
          Kind.FAILED,
          path,
          "'%s' cannot be named in the encoding of this process; start it with a locale of UTF-8"
              .formatted(path));
    } catch (DiskException e) {
      throw problem(doing, path, e);
    }
  }

  private PathProblem problem(String doing, MountPath path, DiskException failure) {
    String what = "'%s' could not be %s".formatted(path, doing);
    return switch (failure.kind()) {
      case NO_SPACE ->
          new PathProblem(
              Kind.NO_SPACE,
              path,
              what + ": no space, quota or inodes are left; free some (df, df -i)");
      case READ_ONLY ->
          new PathProblem(
              Kind.READ_ONLY,
              path,
              what
                  + ": the filesystem is read-only; look at the kernel's log, then remount it"
                  + " writable");
      case DENIED -> new PathProblem(Kind.DENIED, path, what + ": " + denied(path));
      case TOO_MANY_FILES ->
          new PathProblem(
              Kind.TOO_MANY_FILES,
              path,
              what + ": too many files are open; raise the limit (ulimit -n, LimitNOFILE=)");
      case IN_THE_WAY ->
          new PathProblem(
              Kind.IN_THE_WAY,
              path,
              what + ": another process interfered; find out who else works in this directory");
      case NOT_FOUND ->
          new PathProblem(
              Kind.FAILED,
              path,
              what + ": it, or a directory above it, is missing; find out who removed it");
      case FAILED, TOO_LARGE ->
          new PathProblem(
              Kind.FAILED,
              path,
              what + " (" + failure.getMessage() + "); look at the kernel's log");
    };
  }

  /**
   * Returns a text about the directory that denies access: the nearest directory above the path
   * that can be read.
   */
  private String denied(MountPath path) {
    for (MountPath above = path.parent(); ; above = above.parent()) {
      try {
        Optional<FileFacts> facts = disk.facts(above.toPath());
        if (facts.isPresent()) {
          return ("'%s' belongs to user %d with mode %s, but this process is user %d; let it "
                  + "write there")
              .formatted(above, facts.get().owner(), octal(facts.get().mode()), disk.user());
        }
      } catch (DiskException e) {
        // This directory cannot be read, so the loop tries its parent.
      }
      if (above.isRoot()) {
        return "permission denied; let this process write there";
      }
    }
  }
}
