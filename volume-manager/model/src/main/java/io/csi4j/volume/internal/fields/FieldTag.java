package io.csi4j.volume.internal.fields;

/** How protobuf marks a field: its number and how its value is written. */
final class FieldTag {

  /** A number of seven bits a byte, the lowest first. */
  static final int VARINT = 0;

  /** Eight bytes. */
  static final int EIGHT = 1;

  /** A length and as many bytes. */
  static final int LENGTH = 2;

  /** Four bytes. */
  static final int FOUR = 5;

  /** The highest number of a field. */
  static final int MAX_FIELD = (1 << 29) - 1;

  private FieldTag() {}

  /** The tag before the value of a field. */
  static long tag(int field, int form) {
    return ((long) field << 3) | form;
  }
}
