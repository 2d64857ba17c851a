package io.csi4j.mount.internal.table;

import io.csi4j.mount.DeviceId;
import io.csi4j.mount.KernelText;
import io.csi4j.mount.MountIdentity;
import java.util.OptionalLong;

/** What the rows of the kernel's text table leave out: the numbers that no other mount gets. */
interface RowNames {

  /** Rows by what is in them alone. */
  RowNames TEXT_ALONE = (row, id, device, root) -> new MountIdentity.Reusable(id, device, root);

  /**
   * What tells the mount of a row from all others.
   *
   * @param row the place of the row in the table, from 0 on
   */
  MountIdentity identity(int row, int id, DeviceId device, KernelText root);

  /** The number of the parent that no other gets, where known. */
  default OptionalLong uniqueParent(int parentId) {
    return OptionalLong.empty();
  }
}
