package io.csi4j.volume.internal.fields;

import java.util.Arrays;

/**
 * The fields of a record that a newer version wrote and this version does not know. Their bytes are
 * kept, and written back unchanged.
 */
public final class UnknownFields {

  /** The value for a record without unknown fields. */
  public static final UnknownFields NONE = new UnknownFields(new byte[0]);

  private final byte[] bytes;

  private UnknownFields(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the fields in these bytes, which are copied. */
  public static UnknownFields of(byte[] bytes) {
    return bytes.length == 0 ? NONE : new UnknownFields(bytes.clone());
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnknownFields that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
