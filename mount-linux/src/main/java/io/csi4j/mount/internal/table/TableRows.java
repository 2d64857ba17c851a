package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.MountRecord;
import java.util.List;

/**
 * The mounts of one reading of the table as text; references are reusable numbers.
 *
 * @param records the mounts, in the kernel's order
 * @param skipped the number of invalid rows
 */
public record TableRows(List<MountRecord> records, int skipped) {

  /** Copies the list. */
  public TableRows {
    records = List.copyOf(records);
  }

  static TableRows of(ScannedRows rows, String bootId) {
    return new TableRows(rows.records(bootId, RowNames.TEXT_ALONE), rows.skipped());
  }
}
