package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import java.util.Optional;

/**
 * The look at the table first, and at the path only if the table has no mount there: for kernels
 * without {@code openat2} that have filesystems whose mounts must not be touched.
 */
final class TableLook implements PathLook {

  private final Syscalls calls;
  private final VisibleMounts mounts;
  private final PathLook otherwise;

  TableLook(Syscalls calls, VisibleMounts mounts, PathLook otherwise) {
    this.calls = calls;
    this.mounts = mounts;
    this.otherwise = otherwise;
  }

  @Override
  public Seen at(MountPath path) {
    Seen seen =
        ParentDirectory.with(
            calls, path, parent -> new Seen.Placed(parent.place(), Optional.empty()));
    return seen instanceof Seen.Placed placed && mounts.at(placed.place()).isEmpty()
        ? otherwise.at(path)
        : seen;
  }
}
