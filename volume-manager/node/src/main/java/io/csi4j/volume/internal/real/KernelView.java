package io.csi4j.volume.internal.real;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import java.util.Objects;

/**
 * Where a manager sees what is mounted, and takes it away.
 *
 * @param table what is mounted
 * @param mounts the changes to it
 */
public record KernelView(MountTable table, Mounts mounts) {

  /** Both are needed. */
  public KernelView {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(mounts, "mounts");
  }

  /** The running kernel. */
  public static KernelView system() {
    return new KernelView(MountTable.system(), Mounts.system());
  }
}
