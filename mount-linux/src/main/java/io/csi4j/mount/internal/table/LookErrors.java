package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountHealth;
import io.csi4j.mount.model.MountPath;

/** The meaning of an error when a path is looked at. */
final class LookErrors {

  private LookErrors() {}

  /**
   * Returns what the error tells of the path.
   *
   * @throws MountException if it tells nothing
   */
  static Seen seen(MountPath path, String syscall, int result) {
    return switch (-result) {
      case Abi.ENOENT, Abi.ENOTDIR -> Seen.MISSING;
      case Abi.ELOOP ->
          throw MountException.builder(
                  Reason.SYMLINK,
                  doing(path)
                      + " failed: its symbolic links lead in a circle, or there are more than 40."
                      + " Name the path without them.")
              .syscall(syscall, new Errno(-result))
              .target(path)
              .build();
      case Abi.ENAMETOOLONG, Abi.EMFILE, Abi.ENFILE, Abi.ENOMEM ->
          throw failure(path, syscall, result);
      default -> new Seen.OutOfReach(syscall, result);
    };
  }

  /** The failure for an error that the table could not explain. */
  static MountException failure(MountPath path, String syscall, int result) {
    return ErrnoMeaning.of(doing(path), syscall, result, path).build();
  }

  /** Returns what an error tells of the mount that it came from. */
  static MountHealth health(int result) {
    return result == -Abi.EACCES || result == -Abi.EPERM ? MountHealth.DENIED : MountHealth.DEAD;
  }

  private static String doing(MountPath path) {
    return "Looking at " + path;
  }
}
