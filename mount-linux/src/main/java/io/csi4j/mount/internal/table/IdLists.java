package io.csi4j.mount.internal.table;

import java.util.Arrays;

/** The ids that are in one ascending list and not in another. */
final class IdLists {

  private IdLists() {}

  /** The ids of the first list that the second one lacks, ascending. */
  static long[] missing(long[] from, long[] in) {
    long[] missing = new long[8];
    int count = 0;
    int other = 0;
    for (long id : from) {
      while (other < in.length && in[other] < id) {
        other++;
      }
      if (other == in.length || in[other] != id) {
        if (count == missing.length) {
          missing = Arrays.copyOf(missing, 2 * count);
        }
        missing[count++] = id;
      }
    }
    return Arrays.copyOf(missing, count);
  }
}
