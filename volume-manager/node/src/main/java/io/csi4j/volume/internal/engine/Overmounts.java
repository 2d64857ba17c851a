package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.model.OperatorCode;
import java.util.List;
import java.util.Optional;

/** Notices that something was mounted over the directory of the manager since it was opened. */
final class Overmounts {

  private final KernelMounts kernel;
  private final List<MountPath> paths;
  private final List<List<Sighting>> before;

  private Overmounts(KernelMounts kernel, List<MountPath> paths, List<List<Sighting>> before) {
    this.kernel = kernel;
    this.paths = paths;
    this.before = before;
  }

  /** What is mounted at the directory now is meant to be there. */
  static Overmounts since(KernelMounts kernel, VolumeLayout layout) {
    List<MountPath> paths = List.of(layout.root(), layout.volumes());
    return new Overmounts(kernel, paths, paths.stream().map(kernel::at).toList());
  }

  /** What lies over the directory, if anything does. */
  Optional<Failure> seen() {
    for (int i = 0; i < paths.size(); i++) {
      try {
        List<Sighting> now = kernel.at(paths.get(i));
        if (now.size() > before.get(i).size()) {
          return Optional.of(
              Failure.of(
                  OperatorCode.ROOT_OVERMOUNTED,
                  "since the manager was opened, this was mounted at "
                      + paths.get(i)
                      + ": "
                      + now.get(now.size() - 1).evidence()));
        }
      } catch (MountException e) {
        return Optional.of(
            Failure.of(OperatorCode.MOUNT_TABLE_UNREADABLE, String.valueOf(e.getMessage()), e));
      }
    }
    return Optional.empty();
  }
}
