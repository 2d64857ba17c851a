package io.csi4j.mount.internal.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds a byte, eight bytes at a time: finding the ends of rows is half of the work of splitting
 * them.
 */
public final class ByteSearch {

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;

  /** A path up to this length is valid. */
  private static final int LONGEST_ORDINARY_PATH = 4095;

  private ByteSearch() {}

  /** Returns the first index of the byte, or {@code to} if there is none. */
  public static int indexOf(byte wanted, byte[] bytes, int from, int to) {
    long pattern = ONES * (wanted & 0xff);
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      // The lowest remaining bit belongs to the first byte without a difference.
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
   * Finds the first occurrences, and writes the index after each.
   *
   * @param first the index in {@code out}
   * @param count the number of occurrences to find, from 1 on
   * @return the number of missing occurrences
   */
  public static int placesAfter(
      byte wanted, byte[] bytes, int from, int to, int[] out, int first, int count) {
    long pattern = ONES * (wanted & 0xff);
    int end = first + count;
    int next = first;
    int at = from;
    for (; at <= to - Long.BYTES; at += Long.BYTES) {
      long different = (long) EIGHT.get(bytes, at) ^ pattern;
      // The highest bit of each byte without a difference, and no other: there is no carry.
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
   * Returns whether these bytes are an absolute path in which nothing is escaped, refused or
   * redundant. If not, a full check must decide.
   */
  public static boolean isOrdinaryPath(byte[] bytes, int from, int to) {
    if (from >= to || to - from > LONGEST_ORDINARY_PATH || bytes[from] != '/') {
      return false;
    }
    int at = from;
    for (; at < to - Long.BYTES; at += Long.BYTES) {
      long eight = (long) EIGHT.get(bytes, at);
      long next = (long) EIGHT.get(bytes, at + 1);
      // A slash, followed by another slash or a dot, which differ only in the lowest bit.
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

  /** Returns the highest bit of each byte that is 0, and of some bytes after such a byte. */
  private static long zeros(long eight) {
    return (eight - ONES) & ~eight & HIGHS;
  }
}
