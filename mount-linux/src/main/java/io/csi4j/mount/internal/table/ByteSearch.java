package io.csi4j.mount.internal.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds a byte, eight at a time: looking for the ends of rows is half the work of splitting them.
 */
final class ByteSearch {

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  private ByteSearch() {}

  /** Where it is first, or {@code to} if it is not there. */
  static int indexOf(byte wanted, byte[] bytes, int from, int to) {
    long pattern = ONES * (wanted & 0xff);
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long differing = (long) EIGHT.get(bytes, at) ^ pattern;
      // The lowest bit left is that of the first byte without a difference.
      long equal = (differing - ONES) & ~differing & HIGHS;
      if (equal != 0) {
        return at + (Long.numberOfTrailingZeros(equal) >>> 3);
      }
    }
    while (at < to && bytes[at] != wanted) {
      at++;
    }
    return at;
  }
}
