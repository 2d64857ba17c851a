package io.csi4j.mount;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import java.util.function.BooleanSupplier;

/** The mount table of a Linux kernel. */
final class LinuxMountTable extends KernelTable implements MountTable {

  LinuxMountTable(Kernel kernel) {
    super(kernel);
  }

  /**
   * Creates a table.
   *
   * @param careful returns whether a look at a path must not enter a mount
   */
  LinuxMountTable(Kernel kernel, BooleanSupplier careful) {
    super(kernel, careful);
  }
}
