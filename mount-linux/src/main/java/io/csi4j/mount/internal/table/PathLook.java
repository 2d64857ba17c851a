package io.csi4j.mount.internal.table;

import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import java.util.function.BooleanSupplier;

/**
 * A way to tell what is at a path. It follows symbolic links in the middle of the path and none at
 * its end.
 */
interface PathLook {

  /**
   * Returns what is there.
   *
   * @throws MountException if the path has too many links, is too long, or a limit is reached
   */
  Seen at(MountPath path);

  /**
   * The best ways that the kernel has.
   *
   * @param mounts the table, where a way needs it
   * @param careful whether a filesystem is there whose server may be asked by walking into a mount;
   *     then mounts are told without touching them
   */
  static PathLook of(Kernel kernel, VisibleMounts mounts, BooleanSupplier careful) {
    boolean opens = kernel.features().has(Feature.OPENAT2);
    PathLook older =
        opens ? new OpenLook(kernel.calls(), mounts) : new FdinfoLook(kernel.calls(), mounts);
    PathLook usual =
        kernel.features().has(Feature.STATX_MOUNT_ROOT) ? new StatxLook(kernel, older) : older;
    PathLook untouching = opens ? older : new TableLook(kernel.calls(), mounts, older);
    return path -> (careful.getAsBoolean() ? untouching : usual).at(path);
  }
}
