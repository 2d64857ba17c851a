package io.csi4j.conformance.internal.plugin;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The mounts that this process can see. They include the plugin's mounts if the plugin runs in the
 * same mount namespace.
 */
final class SeenMounts {

  private SeenMounts() {}

  /**
   * Returns the number of mounts at a path. Mounts that this process cannot see are not counted.
   */
  static int at(Path path) {
    Path parent = path.toAbsolutePath().getParent();
    if (parent == null) {
      return 0;
    }
    try {
      MountPath point = MountPath.of(parent.toRealPath().resolve(path.getFileName()));
      return MountTable.system().list(mount -> mount.path().equals(point)).records().size();
    } catch (IOException | MountException e) {
      return 0;
    }
  }
}
