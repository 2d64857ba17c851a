package io.csi4j.volume.state;

import java.util.Arrays;

/**
 * The value of a key: at most 64 KiB of bytes in a format known only to their writer. Values are
 * equal if their bytes are; the text shows only their number.
 *
 * @since 1.0
 */
public final class StateValue {

  /** The maximum size of a value in bytes. */
  public static final int MAX_SIZE = 64 * 1024;

  /** The maximum size of additions to a value in bytes, such as seals and the name of a record. */
  public static final int MAX_AROUND = 8 * 1024;

  private final byte[] bytes;

  private StateValue(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns a value with these bytes, which are copied.
   *
   * @throws StateException {@link StateException.Reason#STATE_VALUE_TOO_LARGE} if there are more
   *     than {@link #MAX_SIZE}
   */
  public static StateValue of(byte[] bytes) {
    return of(bytes, MAX_SIZE);
  }

  /**
   * Returns a value with additions, which may have up to {@link #MAX_AROUND} more bytes.
   *
   * @throws StateException {@link StateException.Reason#STATE_VALUE_TOO_LARGE} if there are more
   */
  public static StateValue ofWrapped(byte[] bytes) {
    return of(bytes, MAX_SIZE + MAX_AROUND);
  }

  private static StateValue of(byte[] bytes, int most) {
    if (bytes.length > most) {
      throw new StateException(
          StateException.Reason.STATE_VALUE_TOO_LARGE,
          "Storing a value failed: it has "
              + bytes.length
              + " bytes, and at most "
              + most
              + " are kept. This is a defect of the program; report it.");
    }
    return new StateValue(bytes.clone());
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Whether the bytes are sealed with a key. */
  public boolean isSealed() {
    // No record of csi4j begins with a zero.
    return bytes.length > 0 && bytes[0] == 0;
  }

  /** The number of bytes. */
  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StateValue that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "StateValue[" + bytes.length + " bytes]";
  }
}
