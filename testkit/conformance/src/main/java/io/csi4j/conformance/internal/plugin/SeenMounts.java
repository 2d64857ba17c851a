package io.csi4j.conformance.internal.plugin;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.nio.file.Path;

/** The mounts that this process sees, which are those of the plugin if it shares the namespace. */
final class SeenMounts {

  private SeenMounts() {}

  /** Returns the number of mounts stacked at a path; 0 as well if they cannot be seen. */
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
