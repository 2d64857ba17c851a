package io.csi4j.volume.internal.real;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a manager sees what is mounted, and takes it away.
 *
 * @param table what is mounted
 * @param mounts the changes to it
 * @param watch tells when it changes, if it can be watched
 */
public record KernelView(MountTable table, Mounts mounts, Optional<MountWatch> watch) {

  /** All are needed. */
  public KernelView {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(mounts, "mounts");
    Objects.requireNonNull(watch, "watch");
  }

  /** The running kernel. */
  public static KernelView system() {
    return new KernelView(MountTable.system(), Mounts.system(), Optional.of(MountWatch.system()));
  }
}
