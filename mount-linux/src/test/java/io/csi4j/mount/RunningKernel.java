package io.csi4j.mount;

import io.csi4j.mount.internal.change.MountOperations;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.MountSettings;

/** The kernel that the tests run on, and the front doors of kernels that are made from it. */
public final class RunningKernel {

  private RunningKernel() {}

  /** The kernel itself. */
  public static Kernel kernel() {
    return SystemMounts.kernel();
  }

  /** The front door of this table. */
  public static MountTable table(KernelTable table) {
    return new LinuxMountTable(table);
  }

  /** Changes to the mounts of this kernel, which are seen in this table, on their own pool. */
  public static Mounts mounts(Kernel kernel, KernelTable table, MountSettings settings) {
    return new LinuxMounts(new MountOperations(kernel, table, settings));
  }

  /** The watch over the mounts of this kernel. */
  public static MountWatch watch(Kernel kernel) {
    return new LinuxMountWatch(kernel, new KernelTable(kernel));
  }
}
