package io.csi4j.client.internal;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * Estimates, from the bytes of a message, how much heap the parsed message takes.
 *
 * <p>Two bytes on the wire can become an object with a dozen fields, so the number of bytes does
 * not limit the heap size. The estimate allocates nothing, and stops as soon as it exceeds the
 * limit. Unknown fields count as zero, because {@link ArrivedAnswer} does not keep them.
 */
final class MessageWeight {

  /** Bytes of an object header, protobuf's internal fields, and the slot in a list. */
  private static final int OBJECT = 48;

  /** Bytes of a reference or a number. */
  private static final int FIELD = 8;

  /** Bytes of the two objects of a string, without its characters. */
  private static final int STRING = 48;

  /** Bytes of a map entry and its share of the hash table, without key and value. */
  private static final int MAP_ENTRY = 72;

  /** Bytes of a map with its first entry. */
  private static final int MAP = 240;

  /**
   * Maximum nesting that is followed. The parser of protobuf refuses a message that is nested
   * deeper.
   */
  private static final int DEEPEST = 100;

  private final CodedInputStream in;
  private final long most;
  private long weight;

  private MessageWeight(byte[] bytes, long most) {
    this.in = CodedInputStream.newInstance(bytes);
    this.most = most;
  }

  /**
   * Returns whether a message of this type with these bytes takes at most {@code most} bytes of
   * heap. Returns true for bytes that are not a valid message, because the parser refuses them.
   */
  static boolean isWithin(Descriptor type, byte[] bytes, long most) {
    MessageWeight message = new MessageWeight(bytes, most);
    try {
      message.add(type, 0);
    } catch (InvalidProtocolBufferException malformed) {
      return !message.isOver();
    } catch (IOException impossible) {
      throw new IllegalStateException("Reading bytes in memory cannot fail.", impossible);
    }
    return !message.isOver();
  }

  private boolean isOver() {
    return weight > most;
  }

  private void add(Descriptor type, int depth) throws IOException {
    // The message of a map entry becomes garbage after its entry is added to the map.
    boolean isEntry = type.getOptions().getMapEntry();
    weight += isEntry ? 0 : OBJECT + (long) FIELD * type.getFields().size();
    int lastMap = 0;
    for (int tag = in.readTag(); tag != 0 && !isOver(); tag = in.readTag()) {
      int number = WireFormat.getTagFieldNumber(tag);
      FieldDescriptor field = type.findFieldByNumber(number);
      if (field == null || WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        weight += field != null && field.isRepeated() ? FIELD : 0;
        in.skipField(tag);
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        if (field.isMapField()) {
          weight += number == lastMap ? MAP_ENTRY : MAP;
          lastMap = number;
        }
        nested(field.getMessageType(), depth + 1);
      } else {
        int length = in.readRawVarint32();
        boolean isText = field.getJavaType() == FieldDescriptor.JavaType.STRING;
        weight += isText ? STRING + (long) length : (long) FIELD * length;
        in.skipRawBytes(length);
      }
    }
  }

  private void nested(Descriptor type, int depth) throws IOException {
    int before = in.pushLimit(in.readRawVarint32());
    if (depth < DEEPEST) {
      add(type, depth);
    }
    if (!isOver()) {
      in.skipRawBytes(Math.max(0, in.getBytesUntilLimit()));
      in.popLimit(before);
    }
  }
}
