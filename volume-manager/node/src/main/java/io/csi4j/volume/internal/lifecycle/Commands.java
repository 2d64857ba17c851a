package io.csi4j.volume.internal.lifecycle;

import io.csi4j.mount.model.MountPath;

/** Commands for people to type. */
final class Commands {

  private Commands() {}

  /** Takes a mount out of sight though it may be in use, without touching what is mounted. */
  static String unmount(MountPath path) {
    return "umount -c -l " + quoted(path);
  }

  /** Takes a mount away that is not in use, without touching what is mounted. */
  static String plainUnmount(MountPath path) {
    return "umount -c " + quoted(path);
  }

  private static String quoted(MountPath path) {
    return "'" + path.toString().replace("'", "'\\''") + "'";
  }
}
