package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.MountRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * A whole table as text in which all fields of all rows were found, so that making mounts of it
 * cannot fail.
 *
 * @param pages the text, none of them without rows
 * @param size how many rows make sense
 * @param skipped how many do not
 */
record ScannedRows(List<RowPage> pages, int size, int skipped) {

  /** Copies the list. */
  ScannedRows {
    pages = List.copyOf(pages);
  }

  /** How many rows there were. */
  int count() {
    return size + skipped;
  }

  /** Takes a row. */
  interface Visitor {
    void row(RowPage page, int row);
  }

  /** Shows each row that makes sense, in the kernel's order. */
  void forEach(Visitor visitor) {
    for (RowPage page : pages) {
      for (int row = 0; row < page.rows(); row++) {
        visitor.row(page, row);
      }
    }
  }

  /** The mounts, in the kernel's order. */
  List<MountRecord> records(String bootId, RowNames names) {
    RecordMaker maker = new RecordMaker(bootId, names);
    List<MountRecord> records = new ArrayList<>(size);
    forEach((page, row) -> records.add(maker.make(page, row)));
    return records;
  }
}
