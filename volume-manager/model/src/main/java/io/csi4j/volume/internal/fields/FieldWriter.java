package io.csi4j.volume.internal.fields;

import io.csi4j.client.model.AccessMode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Writes numbered fields in the wire form of protobuf. As in protobuf, fields with the value zero,
 * false or an empty text are omitted. Therefore, equal values have equal bytes if the caller writes
 * fields in the order of their numbers.
 */
public final class FieldWriter {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** Writes a number, which is encoded as unsigned. */
  public FieldWriter number(int field, long value) {
    if (value != 0) {
      varint(FieldTag.tag(field, FieldTag.VARINT));
      varint(value);
    }
    return this;
  }

  /** Writes a number, even if it is zero; an empty value is omitted. */
  public FieldWriter optional(int field, OptionalLong value) {
    if (value.isPresent()) {
      varint(FieldTag.tag(field, FieldTag.VARINT));
      varint(value.getAsLong());
    }
    return this;
  }

  /** Writes a boolean. */
  public FieldWriter flag(int field, boolean value) {
    return number(field, value ? 1 : 0);
  }

  /** Writes a text. */
  public FieldWriter text(int field, String value) {
    return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes bytes that are not text. */
  public FieldWriter data(int field, byte[] value) {
    return value.length == 0 ? this : bytes(field, value);
  }

  /** Writes a part, which is a nested message. A part without fields is also written. */
  public FieldWriter part(int field, FieldWriter part) {
    return bytes(field, part.bytes());
  }

  /** Writes fields that are already encoded. */
  public FieldWriter fields(byte[] written) {
    out.writeBytes(written);
    return this;
  }

  /** Returns the encoded bytes. */
  public byte[] bytes() {
    return out.toByteArray();
  }

  private FieldWriter bytes(int field, byte[] value) {
    varint(FieldTag.tag(field, FieldTag.LENGTH));
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  /** Returns the number of an access mode in the CSI spec. */
  public static int number(AccessMode mode) {
    return switch (mode) {
      case UNSPECIFIED -> 0;
      case SINGLE_NODE_WRITER -> 1;
      case SINGLE_NODE_READER_ONLY -> 2;
      case MULTI_NODE_READER_ONLY -> 3;
      case MULTI_NODE_SINGLE_WRITER -> 4;
      case MULTI_NODE_MULTI_WRITER -> 5;
      case SINGLE_NODE_SINGLE_WRITER -> 6;
      case SINGLE_NODE_MULTI_WRITER -> 7;
      case UNRECOGNIZED -> 0xffff;
    };
  }
}
