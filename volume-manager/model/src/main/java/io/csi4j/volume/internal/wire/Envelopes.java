package io.csi4j.volume.internal.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.WireException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads and writes envelopes according to the rules in {@code wire.proto}. An envelope contains one
 * message and the version of the format.
 */
public final class Envelopes {

  /** The largest message that is read or written, in bytes. */
  public static final int MAX_SIZE = 4 << 20;

  /** The maximum number of fields in a message, including the fields of nested messages. */
  private static final int MAX_FIELDS = 1 << 17;

  /**
   * The maximum nesting depth of a message. The deepest message of this version has seven levels.
   */
  private static final int MAX_DEPTH = 32;

  private static final int VERSION = 1;

  /**
   * The lowest number of a critical field. A reader that does not know a critical field must reject
   * the message.
   */
  private static final int FIRST_CRITICAL = 1000;

  private Envelopes() {}

  /**
   * Returns the bytes of an envelope.
   *
   * @param kind the kind of message
   * @param body the fields of the message
   */
  public static byte[] bytes(String kind, FieldWriter body) {
    return new FieldWriter().number(1, VERSION).part(WireSchema.kind(kind), body).bytes();
  }

  /**
   * Returns the kind of the message in these bytes; empty if only a newer version knows it.
   *
   * @throws WireException if there is not exactly one message
   */
  public static Optional<String> kind(byte[] bytes) {
    return kind(parse(bytes));
  }

  private static Optional<String> kind(DynamicMessage envelope) {
    return envelope.getAllFields().keySet().stream()
        .filter(field -> field.getContainingOneof() != null)
        .findFirst()
        .map(field -> field.getName().toUpperCase(Locale.ROOT));
  }

  /** Parses an envelope into a protobuf message whose fields can be listed. */
  static DynamicMessage parse(byte[] bytes) {
    if (bytes.length > MAX_SIZE) {
      throw failure(
          OperatorCode.MESSAGE_TOO_LARGE,
          "it has " + bytes.length + " bytes, and at most " + MAX_SIZE + " are read or written");
    }
    DynamicMessage envelope;
    try {
      checkVersion(bytes);
      fields(CodedInputStream.newInstance(bytes), WireSchema.envelope(), 0);
      CodedInputStream in = CodedInputStream.newInstance(bytes);
      in.setRecursionLimit(MAX_DEPTH);
      envelope = DynamicMessage.parseFrom(WireSchema.envelope(), in);
    } catch (InvalidProtocolBufferException e) {
      throw unreadable("it is not a protobuf message, or is nested too deeply");
    } catch (IOException e) {
      throw new IllegalStateException("Bytes in memory can be read.", e);
    }
    // Rejects, for example, a duplicate field: another reader could use the other value of the
    // field.
    if (!Arrays.equals(envelope.toByteArray(), bytes)) {
      throw unreadable("its bytes differ from what csi4j writes for it");
    }
    if (envelope.getAllFields().size() == 1 && envelope.getUnknownFields().asMap().isEmpty()) {
      throw unreadable("it has no content");
    }
    return envelope;
  }

  /**
   * Checks the version in the first field. The other fields are not parsed yet, because another
   * version may have another format.
   */
  private static void checkVersion(byte[] bytes) throws IOException {
    boolean saysVersion = bytes.length > 0 && bytes[0] == 1 << 3;
    int version =
        saysVersion ? CodedInputStream.newInstance(bytes, 1, bytes.length - 1).readUInt32() : 0;
    if (version == 0) {
      throw unreadable("it does not say its version");
    } else if (version != VERSION) {
      throw newer(
          "it has version "
              + Integer.toUnsignedString(version)
              + ", but this csi4j reads version "
              + VERSION);
    }
  }

  /**
   * Counts the fields of a part and of its nested parts, and rejects a message with too many
   * fields. This happens before the message is parsed, because parsing creates an object with a
   * dozen fields for as little as two bytes. The fields of a group count as fields of the enclosing
   * part.
   *
   * @param before the number of fields that were counted before this part
   * @return the number of fields including this part
   */
  private static int fields(CodedInputStream in, Descriptor type, int before) throws IOException {
    int count = before;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      count++;
      if (count > MAX_FIELDS) {
        throw failure(OperatorCode.MESSAGE_TOO_LARGE, "it has more than " + MAX_FIELDS + " fields");
      }
      int form = WireFormat.getTagWireType(tag);
      FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      if (form == WireFormat.WIRETYPE_LENGTH_DELIMITED
          && field != null
          && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        int end = in.pushLimit(in.readRawVarint32());
        count = fields(in, field.getMessageType(), count);
        in.popLimit(end);
      } else if (form != WireFormat.WIRETYPE_START_GROUP && form != WireFormat.WIRETYPE_END_GROUP) {
        in.skipField(tag);
      }
    }
    return count;
  }

  /**
   * Returns the value of a message of this kind.
   *
   * @throws WireException if the message is of another kind, has no valid value, or has a critical
   *     field that this version does not know
   */
  public static <T> T read(byte[] bytes, String kind, FieldReader.Fields<T> body) {
    DynamicMessage envelope = parse(bytes);
    String found =
        kind(envelope).orElseThrow(() -> newer("it is of a kind that this csi4j does not know"));
    if (!found.equals(kind)) {
      throw unreadable("it is a " + found + ", where a " + kind + " is expected");
    }
    refuseCritical(envelope);
    try {
      FieldReader in = FieldReader.passingOverNewer(bytes);
      in.number(1);
      return in.required(WireSchema.kind(kind), body);
    } catch (MalformedRecordException e) {
      throw unreadable("its content is wrong: " + e.getMessage());
    } catch (IllegalArgumentException e) { // the message of the exception may quote a value
      throw unreadable("a value in the " + kind + " is not valid");
    }
  }

  private static void refuseCritical(Message in) {
    in.getUnknownFields().asMap().keySet().stream()
        .filter(field -> field >= FIRST_CRITICAL)
        .findFirst()
        .ifPresent(
            field -> {
              throw newer(
                  "its part "
                      + in.getDescriptorForType().getName()
                      + " has the critical field "
                      + field
                      + ", which this csi4j does not know");
            });
    in.getAllFields().values().stream()
        .flatMap(value -> value instanceof List<?> all ? all.stream() : Stream.of(value))
        .filter(Message.class::isInstance)
        .forEach(part -> refuseCritical((Message) part));
  }

  /**
   * Returns the exception for a message that this version cannot use because a newer version wrote
   * it.
   */
  public static WireException newer(String seen) {
    return failure(OperatorCode.MESSAGE_FROM_NEWER_VERSION, seen);
  }

  private static WireException unreadable(String seen) {
    return failure(OperatorCode.MESSAGE_UNREADABLE, seen);
  }

  private static WireException failure(OperatorCode code, String seen) {
    return new WireException(Messages.of(code, Subject.of("exchanging a message"), seen));
  }
}
