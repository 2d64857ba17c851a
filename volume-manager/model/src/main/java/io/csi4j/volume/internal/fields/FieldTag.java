package io.csi4j.volume.internal.fields;

/** The protobuf tag of a field: its number and the form of its value. */
final class FieldTag {

  /** A number that is encoded with seven bits in each byte, the lowest bits first. */
  static final int VARINT = 0;

  /** A value of eight bytes. */
  static final int EIGHT = 1;

  /** A length, followed by this number of bytes. */
  static final int LENGTH = 2;

  /** A value of four bytes. */
  static final int FOUR = 5;

  /** The highest number that a field can have. */
  static final int MAX_FIELD = (1 << 29) - 1;

  private FieldTag() {}

  /** Returns the tag before the value of a field. */
  static long tag(int field, int form) {
    return ((long) field << 3) | form;
  }
}
