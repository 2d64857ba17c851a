package io.csi4j.mount.internal.kernel;

import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.util.HashMap;
import java.util.Map;

/** The meaning of an error of a system call, if the caller has no better one. */
public final class ErrnoMeaning {

  /**
   * One row per meaning: the work, the errors, the reason, why it failed, and what to do next. Part
   * of the class, because a file could not be read when the process has no descriptors left.
   */
  private static final String TABLE =
      """
      ANY; EPERM; NOT_PERMITTED; this process may not do that to the mounts of its namespace; \
      Run it with CAP_SYS_ADMIN in the user namespace that owns its mount namespace, and see that \
      no seccomp filter forbids the call
      ANY; EACCES; NOT_PERMITTED; this user may not pass through a directory of the path, or may \
      not use what is there; Grant search permission on each directory above it, or run as the owner
      ANY; ENOENT; NOT_FOUND; the path does not exist; Make it first, or correct the path
      ANY; ENOTDIR EISDIR; WRONG_KIND; a directory is needed where something else is, or the other \
      way round; Bind directories on directories and files on files
      ANY; ELOOP; SYMLINK; a part of the path is a symbolic link; Give a path without links, or \
      declare a trusted directory above it with Mounts.beneath
      ANY; EXDEV; OUTSIDE; the path leads out of the directory that it has to stay in; Name a path \
      below it
      ANY; EBUSY; BUSY; it is in use; Ask Mounts.whoHolds by whom, and end that first
      ANY; ENODEV; UNKNOWN_FILESYSTEM; the kernel does not know the type of filesystem; Load its \
      module, or correct the type; /proc/filesystems lists those there are
      ANY; ENOTBLK; BAD_SOURCE; a block device is needed as source; Name the device, or bind the \
      file to a loop device first
      ANY; ENOSPC; LIMIT; the namespace has as many mounts as it may (fs.mount-max), or no space is \
      left; Unmount what is not needed, or raise /proc/sys/fs/mount-max
      ANY; EMFILE ENFILE ENOMEM; LIMIT; the process or the machine has no descriptors or memory \
      left; Raise the limit of open files, or free memory
      ANY; EROFS; READ_ONLY; the filesystem is read-only; Mount it writable, or ask for a read-only \
      mount
      ANY; ENAMETOOLONG; BAD_OPTIONS; the path, or a part of it, is too long; Use a path of fewer \
      than 4096 bytes with parts of at most 255
      ANY; ENOSYS EOPNOTSUPP; UNSUPPORTED; the kernel does not offer the call, or not for this \
      filesystem; See MountCapabilities.system() for what it offers
      ANY; ENOTCONN ESTALE EIO EHOSTDOWN EHOSTUNREACH ECONNABORTED ECONNREFUSED ETIMEDOUT; BROKEN; \
      the filesystem behind the path, or its server, is dead; Unmount it, and start its server \
      before it is mounted again
      ANY; EAGAIN EINTR; OTHER; something else came in between; Try again
      ANY; EINVAL; OTHER; the kernel takes a path, a flag or an option for wrong; Correct it; the \
      kernel's log may say which
      BIND; EINVAL; BAD_SOURCE; the source is in a mount that is unbindable, or mounts below it are \
      locked by the namespace above; Bind another directory, or bind it with the mounts below it
      BIND; ENOENT; NOT_FOUND; the source or the target was removed; Make it again, or find out who \
      removes it
      REMOUNT; EPERM; NOT_PERMITTED; this process may not change the mount, or one of its flags is \
      locked by the namespace above; Ask for the flags that it has, or do it in the namespace where \
      it was made
      REMOUNT; EBUSY; BUSY; a file of it is open for writing; Ask Mounts.whoHolds by whom, and end \
      that first
      MOUNT_DEVICE; EINVAL; BAD_SOURCE; the source holds no filesystem of that type, or it is \
      damaged, or an option is refused; Look at the device with blkid, and read the kernel's log
      MOUNT; EINVAL; BAD_OPTIONS; the filesystem refuses an option or the form of the source; Check \
      them against its manual, and read the kernel's log
      MOUNT; ENOENT ENXIO; BAD_SOURCE; the source does not exist, or no device is behind it; Attach \
      the device, or correct the source
      MOUNT; ENOTDIR; WRONG_KIND; the target is no directory; Filesystems are mounted on \
      directories; bind a file instead
      MOUNT; EBUSY; BUSY; the device is in use, or mounted elsewhere as read-only where this is \
      not, or the other way round; Unmount it there, or mount it the same way
      MOUNT; EACCES; NOT_PERMITTED; the device is write-protected, or may not be opened by this \
      process; Ask for a read-only mount, or grant access to the device
      MOUNT; EROFS; READ_ONLY; the device is write-protected, or may not be opened by this process; \
      Ask for a read-only mount, or grant access to the device
      OWN; EPERM; NOT_PERMITTED; this process may not change to whom the file belongs, the file is \
      immutable, or the filesystem keeps no owners; Run it with CAP_CHOWN and CAP_FOWNER; where the \
      filesystem keeps no owners, give mount options such as uid= and gid= instead
      OWN; EINVAL; BAD_OPTIONS; the user or group has no number in the user namespace of this \
      process or of the mount; Give one that is mapped there; /proc/self/uid_map lists them
      OWN; EROFS; READ_ONLY; the filesystem is read-only; Mount it writable, or leave the owners as \
      they are
      OWN; ELOOP ENOTDIR; OTHER; it was exchanged while it was looked at; Let nobody use the volume \
      meanwhile, and try again
      MOUNT; EIO EUCLEAN; BAD_SOURCE; the filesystem on the source is damaged, or its device fails; \
      Check it with fsck, and read the kernel's log
      """;

  private static final Map<String, Meaning> MEANINGS = read();

  private record Meaning(Reason reason, String why, String next) {}

  private ErrnoMeaning() {}

  /** The kinds of work in which some errors have a special meaning. */
  public enum Work {
    /** Any work. */
    ANY,
    /** A bind mount. */
    BIND,
    /** A change of the flags or the propagation of a mount. */
    REMOUNT,
    /** A mount of a filesystem. */
    MOUNT,
    /** A change of a file's owner. */
    OWN,
    /** A mount of a filesystem of a type that needs a device. */
    MOUNT_DEVICE
  }

  /**
   * Returns the failure for an error.
   *
   * @param doing what failed, such as {@code Unmounting /a}
   * @param syscall the system call
   * @param result its result: the negative error number
   * @param target the path of the call
   */
  public static MountException.Builder of(
      String doing, String syscall, int result, MountPath target) {
    return of(Work.ANY, doing, syscall, result, target);
  }

  /** Returns the failure for an error in a kind of work. */
  public static MountException.Builder of(
      Work work, String doing, String syscall, int result, MountPath target) {
    Errno errno = new Errno(-result);
    Meaning unknown =
        new Meaning(
            Reason.OTHER,
            "the kernel answered " + errno.name(),
            "Check whether the kernel's log says more");
    Meaning any = MEANINGS.getOrDefault(Work.ANY + errno.name(), unknown);
    Meaning meaning = MEANINGS.getOrDefault(work + errno.name(), any);
    return MountException.builder(
            meaning.reason, doing + " failed: " + meaning.why + ". " + meaning.next + ".")
        .syscall(syscall, errno)
        .target(target);
  }

  private static Map<String, Meaning> read() {
    Map<String, Meaning> meanings = new HashMap<>();
    TABLE
        .lines()
        .map(row -> row.split("; ", 5))
        .forEach(
            row -> {
              Meaning meaning = new Meaning(Reason.valueOf(row[2]), row[3], row[4]);
              for (String errno : row[1].split(" ", -1)) {
                meanings.put(Work.valueOf(row[0]) + errno, meaning);
              }
            });
    return meanings;
  }
}
