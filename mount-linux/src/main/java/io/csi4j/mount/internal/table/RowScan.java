package io.csi4j.mount.internal.table;

import io.csi4j.mount.MountPath;
import io.csi4j.mount.internal.text.ByteSearch;
import java.util.Arrays;

/**
 * Finds the fields of single rows of the kernel's table.
 *
 * <pre>
 * 36 35 98:0 /root /mnt/point rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 * id parent device root path  flags      optional…  type source    options
 * </pre>
 *
 * <p>Fields are parted by one blank each, so an empty one is a field too. The optional ones end at
 * the first that is a dash: none of them is one, while options may hold blanks and dashes.
 */
final class RowScan {

  private RowScan() {}

  /** The number that the row begins with, or -1 if it begins with something else. */
  static int id(byte[] bytes, int from, int to) {
    return RowFields.number(bytes, from, blank(bytes, from, to));
  }

  /**
   * Whether the row makes sense; if so, a mount can be made of it.
   *
   * @param out takes its numbers and where its fields begin, as {@link RowPage} has them
   * @param at where in {@code out}
   */
  static boolean scan(byte[] bytes, int from, int to, int[] out, int at) {
    // A field that is not there begins behind the row, and so do all after it.
    int parentFrom = blank(bytes, from, to) + 1;
    int device = blank(bytes, parentFrom, to) + 1;
    int root = blank(bytes, device, to) + 1;
    int path = blank(bytes, root, to) + 1;
    int flags = blank(bytes, path, to) + 1;
    int tags = blank(bytes, flags, to) + 1;
    int type = afterDash(bytes, tags, to);
    int source = blank(bytes, type, to) + 1;
    int options = blank(bytes, source, to) + 1;
    int colon = ByteSearch.indexOf((byte) ':', bytes, device, root - 1);
    out[at + RowPage.ID] = RowFields.number(bytes, from, parentFrom - 1);
    out[at + RowPage.PARENT] = RowFields.number(bytes, parentFrom, device - 1);
    out[at + RowPage.MAJOR] = RowFields.number(bytes, device, colon);
    out[at + RowPage.MINOR] = RowFields.number(bytes, colon + 1, root - 1);
    out[at + RowPage.ROOT] = root;
    out[at + RowPage.PATH] = path;
    out[at + RowPage.FLAGS] = flags;
    out[at + RowPage.TAGS] = tags;
    out[at + RowPage.TYPE] = type;
    out[at + RowPage.SOURCE] = source;
    out[at + RowPage.OPTIONS] = options;
    out[at + RowPage.END] = to;
    return options <= to
        && (out[at + RowPage.ID]
                | out[at + RowPage.PARENT]
                | out[at + RowPage.MAJOR]
                | out[at + RowPage.MINOR])
            >= 0
        && isPath(bytes, path, flags - 1);
  }

  /**
   * The path of a mount.
   *
   * @throws IllegalArgumentException if it is none
   */
  static MountPath path(byte[] bytes, int from, int to) {
    return ByteSearch.indexOf((byte) '\\', bytes, from, to) == to
        ? MountPath.ofBytes(bytes, from, to)
        : MountPath.ofBytes(RowFields.unescape(Arrays.copyOfRange(bytes, from, to)));
  }

  private static boolean isPath(byte[] bytes, int from, int to) {
    if (ByteSearch.isOrdinaryPath(bytes, from, to)) {
      return true;
    }
    try {
      path(bytes, from, to);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Where the field after the dash begins; behind the row if there is no dash. */
  private static int afterDash(byte[] bytes, int from, int to) {
    int start = from;
    while (start < to) {
      int end = blank(bytes, start, to);
      if (end - start == 1 && bytes[start] == '-') {
        return end + 1;
      }
      start = end + 1;
    }
    return to + 1;
  }

  private static int blank(byte[] bytes, int from, int to) {
    return ByteSearch.indexOf((byte) ' ', bytes, from, to);
  }
}
