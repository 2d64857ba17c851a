package io.csi4j.mount;

import io.csi4j.mount.internal.change.MountOperations;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountSettings;

/** The changes to the mounts of a Linux kernel. */
final class LinuxMounts extends MountOperations implements Mounts {

  LinuxMounts(Kernel kernel, KernelTable table, MountSettings settings) {
    super(kernel, table, settings);
  }

  private LinuxMounts(LinuxMounts origin, MountPath base) {
    super(origin, base);
  }

  @Override
  public Mounts beneath(MountPath base) {
    return new LinuxMounts(this, base);
  }
}
