package io.csi4j.volume.state.seal;

import java.util.Arrays;

/**
 * Distinguishes sealed bytes from bytes in clear text: sealed bytes begin with a zero, and records
 * of csi4j never do.
 *
 * @since 1.0
 */
public final class SealedBytes {

  private SealedBytes() {}

  /** Seals these bytes. */
  public static byte[] seal(byte[] clear, String about, Sealer sealer) {
    byte[] sealed = sealer.seal(clear, about);
    byte[] all = new byte[1 + sealed.length];
    System.arraycopy(sealed, 0, all, 1, sealed.length);
    return all;
  }

  /** Opens bytes that may be sealed or in clear text. */
  public static byte[] open(byte[] bytes, String about, Sealer sealer) {
    return areSealed(bytes)
        ? sealer.open(Arrays.copyOfRange(bytes, 1, bytes.length), about)
        : bytes;
  }

  /** Whether the bytes are sealed. */
  public static boolean areSealed(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == 0;
  }

  /** Whether sealed bytes are sealed with the current key. */
  public static boolean areCurrent(byte[] bytes, Sealer sealer) {
    return sealer.isCurrent(Arrays.copyOfRange(bytes, 1, bytes.length));
  }
}
