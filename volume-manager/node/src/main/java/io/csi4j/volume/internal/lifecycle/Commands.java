package io.csi4j.volume.internal.lifecycle;

import io.csi4j.mount.model.MountPath;

/** What a person may type. */
final class Commands {

  private Commands() {}

  /** Takes a mount out of sight whoever uses it, without touching what is mounted. */
  static String unmount(MountPath path) {
    return "umount -c -l '" + path.toString().replace("'", "'\\''") + "'";
  }
}
