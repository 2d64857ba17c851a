package io.csi4j.mount;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.MountSettings;
import java.util.function.BooleanSupplier;

/** The kernel that the tests run on, and the front doors of kernels that are made from it. */
public final class RunningKernel {

  private RunningKernel() {}

  /** The kernel itself. */
  public static Kernel kernel() {
    return Host.system().kernel().get();
  }

  /** The table of this kernel, which is careful when it is told to be. */
  public static MountTable table(Kernel kernel, BooleanSupplier careful) {
    return new LinuxMountTable(kernel, careful);
  }

  /** Changes to the mounts of this kernel, which are seen in this table, on their own pool. */
  public static Mounts mounts(Kernel kernel, KernelTable table, MountSettings settings) {
    return new LinuxMounts(kernel, table, settings);
  }

  /** The watch over the mounts of this kernel. */
  public static MountWatch watch(Kernel kernel) {
    return new LinuxMountWatch(kernel, new KernelTable(kernel));
  }
}
