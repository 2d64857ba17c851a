package io.csi4j.mount.internal.kernel;

import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;

/** The meaning of an error of a system call, where the caller knows nothing better. */
public final class ErrnoMeaning {

  private ErrnoMeaning() {}

  /**
   * The failure for an error.
   *
   * @param doing what failed, such as {@code Unmounting /a}
   * @param syscall the system call
   * @param result what it returned: the error with a minus sign
   * @param target the path that it was about
   */
  public static MountException.Builder of(
      String doing, String syscall, int result, MountPath target) {
    Errno errno = new Errno(-result);
    Meaning meaning = meaning(errno);
    return MountException.builder(
            meaning.reason, doing + " failed: " + meaning.why + ". " + meaning.next + ".")
        .syscall(syscall, errno)
        .target(target);
  }

  private record Meaning(Reason reason, String why, String next) {}

  private static Meaning meaning(Errno errno) {
    return switch (errno.number()) {
      case Abi.EPERM ->
          new Meaning(
              Reason.NOT_PERMITTED,
              "this process may not do that to the mounts of its namespace",
              "Run it with CAP_SYS_ADMIN in the user namespace that owns its mount namespace, and"
                  + " see that no seccomp filter forbids the call");
      case Abi.EACCES ->
          new Meaning(
              Reason.NOT_PERMITTED,
              "this user may not pass through a directory of the path, or may not use what is"
                  + " there",
              "Grant search permission on each directory above it, or run as the owner");
      case Abi.ENOENT ->
          new Meaning(
              Reason.NOT_FOUND, "the path does not exist", "Make it first, or correct the path");
      case Abi.ENOTDIR, Abi.EISDIR ->
          new Meaning(
              Reason.WRONG_KIND,
              "a directory is needed where something else is, or the other way round",
              "Bind directories on directories and files on files");
      case Abi.ELOOP ->
          new Meaning(
              Reason.SYMLINK,
              "a part of the path is a symbolic link",
              "Name the path without links, or name the directory that may be trusted with"
                  + " Mounts.beneath");
      case Abi.EXDEV ->
          new Meaning(
              Reason.OUTSIDE,
              "the path leads out of the directory that it has to stay in",
              "Name a path below it");
      case Abi.EBUSY ->
          new Meaning(
              Reason.BUSY, "it is in use", "Ask Mounts.whoHolds by whom, and end that first");
      case Abi.ENODEV ->
          new Meaning(
              Reason.UNKNOWN_FILESYSTEM,
              "the kernel does not know the type of filesystem",
              "Load its module, or correct the type; /proc/filesystems lists those there are");
      case Abi.ENOTBLK ->
          new Meaning(
              Reason.BAD_SOURCE,
              "a block device is needed as source",
              "Name the device, or bind the file to a loop device first");
      case Abi.ENOSPC ->
          new Meaning(
              Reason.LIMIT,
              "the namespace has as many mounts as it may (fs.mount-max), or no space is left",
              "Unmount what is not needed, or raise /proc/sys/fs/mount-max");
      case Abi.EMFILE, Abi.ENFILE, Abi.ENOMEM ->
          new Meaning(
              Reason.LIMIT,
              "the process or the machine has no descriptors or memory left",
              "Raise the limit of open files, or free memory");
      case Abi.EROFS ->
          new Meaning(
              Reason.READ_ONLY,
              "the filesystem is read-only",
              "Mount it writable, or ask for a read-only mount");
      case Abi.ENAMETOOLONG ->
          new Meaning(
              Reason.BAD_OPTIONS,
              "the path, or a part of it, is too long",
              "Use a path of fewer than 4096 bytes with parts of at most 255");
      case Abi.ENOSYS, Abi.EOPNOTSUPP ->
          new Meaning(
              Reason.UNSUPPORTED,
              "the kernel does not offer the call, or not for this filesystem",
              "See MountCapabilities.system() for what it offers");
      case Abi.ENOTCONN,
          Abi.ESTALE,
          Abi.EIO,
          Abi.EHOSTDOWN,
          Abi.EHOSTUNREACH,
          Abi.ECONNABORTED,
          Abi.ECONNREFUSED,
          Abi.ETIMEDOUT ->
          new Meaning(
              Reason.BROKEN,
              "the filesystem behind the path, or its server, is dead",
              "Unmount it, and start its server before it is mounted again");
      case Abi.EAGAIN, Abi.EINTR ->
          new Meaning(Reason.OTHER, "something else came in between", "Try again");
      case Abi.EINVAL ->
          new Meaning(
              Reason.OTHER,
              "the kernel takes a path, a flag or an option for wrong",
              "Correct it; the kernel's log may say which");
      default ->
          new Meaning(
              Reason.OTHER,
              "the kernel answered " + errno.name(),
              "Look whether the kernel's log says more");
    };
  }
}
