package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountRef;
import java.util.OptionalLong;

/**
 * The numbers that the rows of the kernel's text table leave out: those that no other mount gets.
 */
interface RowNames {

  /** Rows by what is in them alone. */
  RowNames TEXT_ALONE =
      (place, id, device, root) -> new MountRef.Identity.Reusable(id, device, root);

  /**
   * Returns what tells the mount of a row from all others.
   *
   * @param place the place of the row in the table, from 0 on
   */
  MountRef.Identity identity(int place, int id, DeviceId device, KernelText root);

  /** The number of its parent that no other gets, where known. */
  default OptionalLong uniqueParent(int place) {
    return OptionalLong.empty();
  }
}
