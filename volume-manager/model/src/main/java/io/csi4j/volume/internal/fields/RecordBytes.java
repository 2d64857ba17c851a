package io.csi4j.volume.internal.fields;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.ProtocolMessageEnum;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.SortedMap;

/**
 * A record as a protobuf message, with the additional fields that a newer version wrote.
 *
 * <p>The message is parsed strictly: its bytes must be exactly the bytes that this version would
 * write. A field is rejected if it is out of order, duplicated, of another type, or unknown within
 * a part. The {@code toString()} of a protobuf message shows all its values, including secrets.
 * Therefore, messages never leave the class that maps them.
 *
 * @param message the fields known to this version
 * @param newer the unknown fields, which are kept unchanged
 */
public record RecordBytes<M extends Message>(M message, UnknownFields newer) {

  private static final int FORMAT_TAG = 1 << 3;

  /** Reads a part of a record and validates it. */
  @FunctionalInterface
  public interface Part<T> {
    /** Returns the part; throws an {@link IllegalArgumentException} if it is invalid. */
    T read() throws MalformedRecordException;
  }

  /**
   * Reads a record, whose first field is the number of its format.
   *
   * @param highest the highest format that the caller understands
   */
  public static <M extends Message> RecordBytes<M> read(Parser<M> parser, byte[] bytes, int highest)
      throws MalformedRecordException {
    try {
      boolean saysFormat = bytes.length > 0 && bytes[0] == FORMAT_TAG;
      checkFormat(
          saysFormat ? CodedInputStream.newInstance(bytes, 1, bytes.length - 1).readUInt64() : 0,
          highest);
      M message = DiscardUnknownFieldsParser.wrap(parser).parsePartialFrom(bytes);
      if (!message.isInitialized()) {
        throw new MalformedRecordException("Field " + missing(message) + " is missing.");
      }
      byte[] known = message.toByteArray();
      int same = Arrays.mismatch(bytes, known);
      if (same < 0) {
        return new RecordBytes<>(message, UnknownFields.NONE);
      }
      if (same < known.length) {
        throw otherwise(same);
      }
      byte[] rest = Arrays.copyOfRange(bytes, same, bytes.length);
      checkNewer(rest, same, message.getDescriptorForType().getFields().size());
      return new RecordBytes<>(message, UnknownFields.of(rest));
    } catch (IOException e) {
      throw new MalformedRecordException("It is not a protobuf message. " + e.getMessage());
    }
  }

  /**
   * Returns the name of a missing field. Reads it from a dynamic message, because a generated
   * message would use reflection, which its module does not allow.
   */
  private static String missing(Message message) throws IOException {
    return DynamicMessage.newBuilder(message.getDescriptorForType())
        .mergeFrom(message.toByteString())
        .findInitializationErrors()
        .get(0);
  }

  static void checkFormat(long format, int highest) throws MalformedRecordException {
    if (format < 1 || format > highest) {
      throw new MalformedRecordException(
          format == 0
              ? "It does not say its format."
              : "It has format "
                  + Long.toUnsignedString(format)
                  + ", and this version reads format 1"
                  + (highest == 1 ? "" : " to " + highest)
                  + ".");
    }
  }

  /**
   * Checks the fields of a newer version. They must have higher numbers, be in order, and not be
   * groups.
   */
  private static void checkNewer(byte[] rest, int at, int known)
      throws IOException, MalformedRecordException {
    CodedInputStream in = CodedInputStream.newInstance(rest);
    ByteArrayOutputStream again = new ByteArrayOutputStream();
    int last = known + 1;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      UnknownFieldSet.Builder field = UnknownFieldSet.newBuilder();
      if (WireFormat.getTagFieldNumber(tag) < last
          || WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_START_GROUP
          || !field.mergeFieldFrom(tag, in)) {
        throw otherwise(at + again.size());
      }
      field.build().writeTo(again);
      last = WireFormat.getTagFieldNumber(tag);
    }
    int same = Arrays.mismatch(rest, again.toByteArray());
    if (same >= 0) {
      throw otherwise(at + same);
    }
  }

  private static MalformedRecordException otherwise(int at) {
    return new MalformedRecordException(
        "From byte " + at + " on, it differs from what this version writes.");
  }

  /** Returns the bytes of the record. */
  public byte[] bytes() {
    byte[] known = message.toByteArray();
    byte[] rest = newer.bytes();
    byte[] all = Arrays.copyOf(known, known.length + rest.length);
    System.arraycopy(rest, 0, all, known.length, rest.length);
    return all;
  }

  /** Returns this record if it has no fields of a newer version; rejects it otherwise. */
  public RecordBytes<M> whole() throws MalformedRecordException {
    if (!newer.equals(UnknownFields.NONE)) {
      throw otherwise(message.getSerializedSize());
    }
    return this;
  }

  /** Returns text without the values of the message, which may be secrets. */
  @Override
  public String toString() {
    return "RecordBytes[" + message.getSerializedSize() + " bytes, newer=" + newer + "]";
  }

  /** Returns a part whose constructor validates it. */
  public static <T> T checked(String what, Part<T> part) throws MalformedRecordException {
    try {
      return part.read();
    } catch (IllegalArgumentException e) {
      throw new MalformedRecordException("The " + what + " is not valid.");
    }
  }

  /**
   * Returns the enum constant that has the same name as the constant of a message.
   *
   * @param number the number of the constant in the message, which the failure shows
   */
  public static <E extends Enum<E>> E named(
      String what, Class<E> type, ProtocolMessageEnum stored, int number)
      throws MalformedRecordException {
    for (E one : type.getEnumConstants()) {
      if (one.name().equals(stored.toString())) {
        return one;
      }
    }
    throw new MalformedRecordException("The " + what + " " + number + " is not known.");
  }

  /** Adds an entry to a map. Its key must be higher than all keys before. */
  public static <K extends Comparable<? super K>, V> void add(
      SortedMap<K, V> entries, K key, V value, String otherwise) throws MalformedRecordException {
    if (!entries.isEmpty() && entries.lastKey().compareTo(key) >= 0) {
      throw new MalformedRecordException(otherwise);
    }
    entries.put(key, value);
  }
}
