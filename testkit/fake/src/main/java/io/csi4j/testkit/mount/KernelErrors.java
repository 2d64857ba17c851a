package io.csi4j.testkit.mount;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;

/** The meaning of the errors of the kernel in memory for its callers. */
final class KernelErrors {

  private record Meaning(Reason reason, String why, String next) {}

  private KernelErrors() {}

  /**
   * The failure for an error.
   *
   * @param doing what failed, such as {@code Unmounting /a}
   * @param syscall the system call that the real kernel would answer so
   */
  static MountException.Builder of(
      String doing, String syscall, KernelRefusal refusal, MountPath target) {
    Meaning meaning = meaning(refusal);
    return refused(meaning.reason, doing, meaning.why, meaning.next, target)
        .syscall(syscall, refusal.errno());
  }

  static MountException.Builder refused(
      Reason reason, String doing, String why, String next, MountPath target) {
    return MountException.builder(reason, doing + " failed: " + why + ". " + next + ".")
        .target(target);
  }

  static MountException hang(String doing, MountPath target) {
    return refused(
            Reason.DEADLINE,
            doing,
            "the kernel in memory was told to let this call hang",
            "Release it with StuckCall.release",
            target)
        .build();
  }

  static MountException stuck(String doing, int stuck, MountPath target) {
    return refused(
            Reason.STUCK,
            doing,
            stuck + " calls have not come back, and no more are made",
            "Release them with StuckCall.release",
            target)
        .build();
  }

  private static Meaning meaning(KernelRefusal refusal) {
    return switch (refusal.number()) {
      case KernelRefusal.EPERM, KernelRefusal.EACCES ->
          new Meaning(Reason.NOT_PERMITTED, "this user may not do that", "Do it as another user");
      case KernelRefusal.ENOENT ->
          new Meaning(Reason.NOT_FOUND, "the path does not exist", "Make it first");
      case KernelRefusal.ENOTDIR, KernelRefusal.EISDIR ->
          new Meaning(
              Reason.WRONG_KIND,
              "a directory is needed where something else is, or the other way round",
              "Bind directories on directories and files on files");
      case KernelRefusal.ELOOP ->
          new Meaning(
              Reason.SYMLINK,
              "a part of the path is a symbolic link",
              "Name the path without links, or name the directory that may be trusted with"
                  + " Mounts.beneath");
      case KernelRefusal.EXDEV ->
          new Meaning(Reason.OUTSIDE, "the path leads out of its directory", "Name one below it");
      case KernelRefusal.EBUSY ->
          new Meaning(Reason.BUSY, "it is in use", "Ask Mounts.whoHolds by whom");
      case KernelRefusal.ENODEV ->
          new Meaning(
              Reason.UNKNOWN_FILESYSTEM,
              "the kernel in memory does not know the type of filesystem",
              "Tell it with MemoryKernel.know");
      case KernelRefusal.ENOTBLK ->
          new Meaning(
              Reason.BAD_SOURCE,
              "a block device is needed as source",
              "Make one with MemoryNamespace.device");
      case KernelRefusal.ENOSPC ->
          new Meaning(
              Reason.LIMIT,
              "the namespace has as many mounts as it may",
              "Unmount what is not needed, or raise MemoryKernel.mountMax");
      case KernelRefusal.EROFS ->
          new Meaning(Reason.READ_ONLY, "the filesystem is read-only", "Mount it writable");
      case KernelRefusal.ENAMETOOLONG ->
          new Meaning(
              Reason.BAD_OPTIONS, "a part of the path is too long", "Use at most 255 bytes");
      case KernelRefusal.ENOTCONN ->
          new Meaning(Reason.BROKEN, "the filesystem behind the path is dead", "Unmount it");
      case KernelRefusal.ETIMEDOUT ->
          new Meaning(
              Reason.DEADLINE, "a server on the way does not answer", "Unmount it by force");
      default ->
          new Meaning(
              Reason.OTHER,
              "the kernel answered " + refusal.errno().name(),
              "Look at what was done before");
    };
  }
}
