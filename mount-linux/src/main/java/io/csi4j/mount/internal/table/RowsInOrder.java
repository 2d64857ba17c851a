package io.csi4j.mount.internal.table;

import io.csi4j.mount.DeviceId;
import io.csi4j.mount.KernelText;
import io.csi4j.mount.MountIdentity;
import java.util.OptionalLong;

/**
 * Gives the rows of the text table, which since Linux 6.8 is ordered by the numbers that no other
 * mount gets, those numbers in turn. Whether the numbers fit the rows is for the reader to check.
 */
final class RowsInOrder implements RowNames {

  private final long[] uniqueIds;

  /** After so many searches row by row the rest is left to an index. */
  private static final int MOST_SEARCHES = 32;

  /** The numbers of the text table by row. */
  private final int[] textIds;

  private int rows;

  /** The rows by those numbers, in a hash table, once parents are many; else empty. */
  private int[] slots = {};

  private int searches;
  private OptionalLong lastParent = OptionalLong.empty();
  private int lastParentId = -1;

  RowsInOrder(long[] uniqueIds) {
    this.uniqueIds = uniqueIds;
    this.textIds = new int[uniqueIds.length];
  }

  @Override
  public MountIdentity identity(int row, int id, DeviceId device, KernelText root) {
    if (row >= uniqueIds.length) {
      return TEXT_ALONE.identity(row, id, device, root);
    }
    textIds[row] = id;
    rows = row + 1;
    if (slots.length > 0) {
      index(row);
    }
    return new MountIdentity.Unique(uniqueIds[row]);
  }

  @Override
  public OptionalLong uniqueParent(int parentId) {
    if (parentId != lastParentId || lastParent.isEmpty()) {
      lastParentId = parentId;
      lastParent = find(parentId);
    }
    return lastParent;
  }

  private OptionalLong find(int id) {
    if (slots.length == 0 && searches++ < MOST_SEARCHES) {
      return search(id);
    }
    if (slots.length == 0) {
      slots = new int[Integer.highestOneBit(Math.max(1, uniqueIds.length)) * 4];
      for (int row = 0; row < rows; row++) {
        index(row);
      }
    }
    for (int slot = slot(id); slots[slot] != 0; slot = (slot + 1) & (slots.length - 1)) {
      int row = slots[slot] - 1;
      if (textIds[row] == id) {
        return OptionalLong.of(uniqueIds[row]);
      }
    }
    return OptionalLong.empty();
  }

  /** Most mounts are on one of those that came just before. */
  private OptionalLong search(int id) {
    for (int row = rows - 1; row >= 0; row--) {
      if (textIds[row] == id) {
        return OptionalLong.of(uniqueIds[row]);
      }
    }
    return OptionalLong.empty();
  }

  private void index(int row) {
    int slot = slot(textIds[row]);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = row + 1;
  }

  private int slot(int id) {
    int mixed = id * 0x9E3779B9;
    return (mixed ^ mixed >>> 15) & (slots.length - 1);
  }
}
