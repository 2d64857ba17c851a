package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountRef;
import java.util.OptionalLong;

/** The unique numbers, which the rows of the kernel's text table do not contain. */
interface RowNames {

  /** Names rows by their content alone. */
  RowNames TEXT_ALONE =
      (place, id, device, root) -> new MountRef.Identity.Reusable(id, device, root);

  /**
   * Returns the identity of the mount of a row.
   *
   * @param place the index of the row in the table, from 0 on
   */
  MountRef.Identity identity(int place, int id, DeviceId device, KernelText root);

  /** Returns the unique number of its parent, if it is known. */
  default OptionalLong uniqueParent(int place) {
    return OptionalLong.empty();
  }
}
