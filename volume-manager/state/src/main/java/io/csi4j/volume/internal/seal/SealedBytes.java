package io.csi4j.volume.internal.seal;

import java.util.Arrays;

/**
 * Distinguishes sealed bytes from bytes in clear text: sealed bytes begin with a zero, and records
 * of csi4j never do. {@link io.csi4j.volume.state.StateValue#isSealed} reads the mark.
 */
public final class SealedBytes {

  private SealedBytes() {}

  /** Returns what a sealer returned, with the mark. */
  public static byte[] marked(byte[] sealed) {
    byte[] all = new byte[1 + sealed.length];
    System.arraycopy(sealed, 0, all, 1, sealed.length);
    return all;
  }

  /** Returns marked bytes without the mark, for a sealer. */
  public static byte[] unmarked(byte[] marked) {
    return Arrays.copyOfRange(marked, 1, marked.length);
  }
}
