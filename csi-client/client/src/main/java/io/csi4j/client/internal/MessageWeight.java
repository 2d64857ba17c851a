package io.csi4j.client.internal;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * An estimate of the heap that a message takes once it is built, made from its bytes before it is.
 *
 * <p>Two bytes on the wire can become an object with a dozen fields, so the number of bytes bounds
 * nothing. The pass over the bytes builds nothing, and ends as soon as the estimate is above its
 * limit. Fields that the contract does not know weigh nothing: {@link ArrivedAnswer} does not keep
 * them.
 */
final class MessageWeight {

  /** Header, bookkeeping of protobuf, and the place in a list. */
  private static final int OBJECT = 48;

  /** A reference or a number. */
  private static final int FIELD = 8;

  /** A string without its characters: two objects. */
  private static final int STRING = 48;

  /** A node of a map and its share of the table; key and value come on top. */
  private static final int MAP_ENTRY = 72;

  /** A map with its first entry. */
  private static final int MAP = 240;

  /** More than protobuf follows: what is nested deeper is refused there. */
  private static final int DEEPEST = 100;

  private final CodedInputStream in;
  private final long most;
  private long weight;

  private MessageWeight(byte[] bytes, long most) {
    this.in = CodedInputStream.newInstance(bytes);
    this.most = most;
  }

  /**
   * True if a message of this type with these bytes takes {@code most} bytes of heap at the most.
   * Bytes that are no message are within any limit: the parser refuses them.
   */
  static boolean isWithin(Descriptor type, byte[] bytes, long most) {
    MessageWeight message = new MessageWeight(bytes, most);
    try {
      message.add(type, 0);
    } catch (InvalidProtocolBufferException malformed) {
      return !message.isOver();
    } catch (IOException impossible) {
      throw new IllegalStateException("bytes in memory cannot fail to be read", impossible);
    }
    return !message.isOver();
  }

  private boolean isOver() {
    return weight > most;
  }

  private void add(Descriptor type, int depth) throws IOException {
    // The message of an entry is gone when its map is built.
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
