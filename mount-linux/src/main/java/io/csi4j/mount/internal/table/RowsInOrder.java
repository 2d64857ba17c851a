package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountRef;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.LongFunction;

/**
 * Assigns the unique numbers to the rows of the text table, which is ordered by these numbers since
 * Linux 6.8. The reader checks whether the numbers fit the rows.
 */
final class RowsInOrder implements RowNames {

  /** The number of searches row by row after which an index is used. */
  private static final int MOST_SEARCHES = 32;

  private static final int NONE = -1;

  private final long[] uniqueIds;

  /** The numbers of the text table by index. */
  private final int[] textIds;

  /** The numbers of the parents by index. */
  private final long[] parents;

  /** The indexes by text numbers, in a hash table, once there are many parents; empty before. */
  private int[] slots = {};

  private int searches;
  private int lastParentId = NONE;
  private int lastPlace = NONE;
  private OptionalLong lastParent = OptionalLong.empty();

  /**
   * Creates the names of these rows.
   *
   * @param uniqueIds the numbers of all rows, ascending
   * @param elsewhere returns the parent of a mount whose parent is in none of the rows
   */
  RowsInOrder(ScannedRows rows, long[] uniqueIds, LongFunction<OptionalLong> elsewhere) {
    this.uniqueIds = uniqueIds;
    this.textIds = new int[uniqueIds.length];
    this.parents = new long[uniqueIds.length];
    Arrays.fill(textIds, NONE);
    rows.forEach((page, row) -> textIds[page.get(row, RowPage.PLACE)] = page.get(row, RowPage.ID));
    rows.forEach(
        (page, row) -> {
          int place = page.get(row, RowPage.PLACE);
          parents[place] = parent(place, page.get(row, RowPage.PARENT), elsewhere);
        });
  }

  @Override
  public MountRef.Identity identity(int place, int id, DeviceId device, KernelText root) {
    return new MountRef.Identity.Unique(uniqueIds[place]);
  }

  @Override
  public OptionalLong uniqueParent(int place) {
    long parent = parents[place];
    // Most mounts have the same parent as the previous mount.
    if (parent != lastParent.orElse(0)) {
      lastParent = parent == 0 ? OptionalLong.empty() : OptionalLong.of(parent);
    }
    return lastParent;
  }

  private long parent(int place, int parentId, LongFunction<OptionalLong> elsewhere) {
    if (parentId != lastParentId) {
      lastParentId = parentId;
      lastPlace = find(parentId, place);
    }
    return lastPlace == NONE ? elsewhere.apply(uniqueIds[place]).orElse(0) : uniqueIds[lastPlace];
  }

  /** Returns the index of the row with this number, or {@link #NONE}. */
  private int find(int textId, int before) {
    if (slots.length == 0 && searches++ < MOST_SEARCHES) {
      return search(textId, before);
    }
    if (slots.length == 0) {
      index();
    }
    for (int slot = slot(textId); slots[slot] != 0; slot = (slot + 1) & (slots.length - 1)) {
      int place = slots[slot] - 1;
      if (textIds[place] == textId) {
        return place;
      }
    }
    return NONE;
  }

  /** Searches row by row: most parents are just before, a few are later. */
  private int search(int textId, int before) {
    for (int place = before; place >= 0; place--) {
      if (textIds[place] == textId) {
        return place;
      }
    }
    for (int place = before + 1; place < textIds.length; place++) {
      if (textIds[place] == textId) {
        return place;
      }
    }
    return NONE;
  }

  private void index() {
    slots = new int[Integer.highestOneBit(Math.max(1, textIds.length)) * 4];
    for (int place = 0; place < textIds.length; place++) {
      if (textIds[place] != NONE) {
        int slot = slot(textIds[place]);
        while (slots[slot] != 0) {
          slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = place + 1;
      }
    }
  }

  private int slot(int id) {
    int mixed = id * 0x9E3779B9;
    return (mixed ^ mixed >>> 15) & (slots.length - 1);
  }
}
