package io.csi4j.mount;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import java.util.function.BooleanSupplier;

/** The table of a Linux kernel. */
final class LinuxMountTable extends KernelTable implements MountTable {

  LinuxMountTable(Kernel kernel) {
    super(kernel);
  }

  /** A table that is careful when it is told to be. */
  LinuxMountTable(Kernel kernel, BooleanSupplier careful) {
    super(kernel, careful);
  }
}
