package io.csi4j.volume.state.seal;

import java.util.Arrays;

/**
 * How bytes are told that were sealed from those that are in clear: they begin with a zero, and no
 * record of csi4j does.
 *
 * @since 1.0
 */
public final class SealedBytes {

  private SealedBytes() {}

  /** These bytes, sealed. */
  public static byte[] seal(byte[] clear, String about, Sealer sealer) {
    byte[] sealed = sealer.seal(clear, about);
    byte[] all = new byte[1 + sealed.length];
    System.arraycopy(sealed, 0, all, 1, sealed.length);
    return all;
  }

  /** The bytes in clear, of bytes that are sealed or in clear. */
  public static byte[] open(byte[] bytes, String about, Sealer sealer) {
    return areSealed(bytes)
        ? sealer.open(Arrays.copyOfRange(bytes, 1, bytes.length), about)
        : bytes;
  }

  /** Whether bytes are sealed. */
  public static boolean areSealed(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == 0;
  }

  /** Whether sealed bytes are sealed with the present key. */
  public static boolean areCurrent(byte[] bytes, Sealer sealer) {
    return sealer.isCurrent(Arrays.copyOfRange(bytes, 1, bytes.length));
  }
}
