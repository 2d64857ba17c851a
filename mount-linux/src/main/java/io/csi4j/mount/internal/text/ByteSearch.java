package io.csi4j.mount.internal.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds a byte, eight at a time: looking for the ends of rows is half the work of splitting them.
 */
public final class ByteSearch {

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  /** Any path is valid that is no longer. */
  private static final int LONGEST_ORDINARY_PATH = 4095;

  private ByteSearch() {}

  /** Where it is first, or {@code to} if it is not there. */
  public static int indexOf(byte wanted, byte[] bytes, int from, int to) {
    long pattern = ONES * (wanted & 0xff);
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      // The lowest bit left is that of the first byte without a difference.
      long equal = zeros((long) EIGHT.get(bytes, at) ^ pattern);
      if (equal != 0) {
        return at + (Long.numberOfTrailingZeros(equal) >>> 3);
      }
    }
    while (at < to && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  /**
   * Finds the first ones, and writes the places after each.
   *
   * @param first where in {@code out}
   * @param count how many places, from 1 on
   * @return how many there were too few
   */
  public static int placesAfter(
      byte wanted, byte[] bytes, int from, int to, int[] out, int first, int count) {
    long pattern = ONES * (wanted & 0xff);
    int end = first + count;
    int next = first;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long different = (long) EIGHT.get(bytes, at) ^ pattern;
      // The highest bit of each byte without a difference, and no other: nothing is carried.
      long equal = ~(((different & ~HIGHS) + ~HIGHS) | different | ~HIGHS);
      while (equal != 0) {
        out[next++] = at + (Long.numberOfTrailingZeros(equal) >>> 3) + 1;
        if (next == end) {
          return 0;
        }
        equal &= equal - 1;
      }
    }
    for (; at < to; at++) {
      if (bytes[at] == wanted) {
        out[next++] = at + 1;
        if (next == end) {
          return 0;
        }
      }
    }
    return end - next;
  }

  /**
   * Whether these bytes are an absolute path in which nothing is escaped, refused or to be left
   * out: where this says no, a closer look has to decide.
   */
  public static boolean isOrdinaryPath(byte[] bytes, int from, int to) {
    if (from >= to || to - from > LONGEST_ORDINARY_PATH || bytes[from] != '/') {
      return false;
    }
    int at = from;
    for (; at < to - Long.BYTES; at += Long.BYTES) {
      long eight = (long) EIGHT.get(bytes, at);
      long next = (long) EIGHT.get(bytes, at + 1);
      // A slash and, as a dot is one but for its lowest bit, another or a dot after it.
      long pair = (eight ^ ONES * '/') | ((next | ONES) ^ ONES * '/');
      long special = zeros(eight) | zeros(eight ^ ONES * '\\') | zeros(pair);
      if (special != 0) {
        return false;
      }
    }
    for (; at < to; at++) {
      boolean isSlash = bytes[at] == '/';
      if (bytes[at] == 0
          || bytes[at] == '\\'
          || (isSlash && at + 1 < to && (bytes[at + 1] | 1) == '/')) {
        return false;
      }
    }
    return true;
  }

  /** The highest bit of each byte that is 0, and of some that come after such a one. */
  private static long zeros(long eight) {
    return (eight - ONES) & ~eight & HIGHS;
  }
}
