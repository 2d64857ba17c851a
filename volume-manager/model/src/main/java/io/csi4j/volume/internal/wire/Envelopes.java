package io.csi4j.volume.internal.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.wire.proto.WireProto.Envelope;
import io.csi4j.volume.internal.wire.proto.WireProto.Envelope.BodyCase;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.WireException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Reads and writes envelopes, under the rules of {@code wire.proto}. */
public final class Envelopes {

  /** The largest message that is read or written, in bytes. */
  public static final int MAX_SIZE = 4 << 20;

  /** Messages nest six levels deep today. */
  private static final int MAX_DEPTH = 32;

  private static final int VERSION = 1;

  /** Fields from this number on must not be passed over. */
  private static final int FIRST_CRITICAL = 1000;

  private Envelopes() {}

  /** Maps the body of an envelope to a value. */
  @FunctionalInterface
  public interface Body<T> {
    /** Returns the value; an {@link IllegalArgumentException} says that there is none. */
    T read(Envelope in) throws MalformedRecordException;
  }

  /** Returns the bytes of an envelope, which gets its version here. */
  public static byte[] bytes(Envelope.Builder out) {
    return out.setVersion(VERSION).build().toByteArray();
  }

  /**
   * Returns the envelope in these bytes, which may be of a kind that this version does not know.
   *
   * @throws WireException if there is none, or not only one
   */
  public static Envelope parse(byte[] bytes) {
    if (bytes.length > MAX_SIZE) {
      throw failure(
          OperatorCode.MESSAGE_TOO_LARGE,
          "it has " + bytes.length + " bytes, and at most " + MAX_SIZE + " are read or written");
    }
    Envelope envelope;
    try {
      checkVersion(bytes);
      CodedInputStream in = CodedInputStream.newInstance(bytes);
      in.setRecursionLimit(MAX_DEPTH);
      envelope = Envelope.parseFrom(in);
    } catch (InvalidProtocolBufferException e) {
      throw unreadable("it is no message of protobuf, or is nested too deeply");
    } catch (IOException e) {
      throw new IllegalStateException("Bytes in memory can be read.", e);
    }
    // Such as a field that stands twice, of which another reader may take the other one.
    if (!Arrays.equals(envelope.toByteArray(), bytes)) {
      throw unreadable("its bytes are not those that csi4j writes for it");
    }
    if (envelope.getBodyCase() == BodyCase.BODY_NOT_SET
        && envelope.getUnknownFields().asMap().isEmpty()) {
      throw unreadable("it has no content");
    }
    return envelope;
  }

  /** Looks at the first field alone: another version may have another form. */
  private static void checkVersion(byte[] bytes) throws IOException {
    boolean saysVersion = bytes.length > 0 && bytes[0] == Envelope.VERSION_FIELD_NUMBER << 3;
    int version =
        saysVersion ? CodedInputStream.newInstance(bytes, 1, bytes.length - 1).readUInt32() : 0;
    if (version == 0) {
      throw unreadable("it does not say its version");
    } else if (version != VERSION) {
      throw newer(
          "it has version "
              + Integer.toUnsignedString(version)
              + ", and this csi4j reads version "
              + VERSION);
    }
  }

  /**
   * Returns the value of a message of this kind.
   *
   * @throws WireException if it is another kind, has no such value, or has something that this
   *     version would have to know
   */
  public static <T> T read(byte[] bytes, BodyCase kind, Body<T> body) {
    Envelope envelope = parse(bytes);
    if (envelope.getBodyCase() == BodyCase.BODY_NOT_SET) {
      throw newer("it is of a kind that this csi4j does not know");
    }
    if (envelope.getBodyCase() != kind) {
      throw unreadable("it is a " + envelope.getBodyCase() + ", where a " + kind + " is expected");
    }
    try {
      refuseCritical(bytes);
      return body.read(envelope);
    } catch (MalformedRecordException e) {
      throw unreadable("its content is wrong: " + e.getMessage());
    } catch (IllegalArgumentException e) { // its text may quote a value
      throw unreadable("a value in the " + kind + " is not valid");
    } catch (IOException e) {
      throw new IllegalStateException("What was read once can be read again.", e);
    }
  }

  private static void refuseCritical(byte[] bytes) throws IOException {
    Message known = DiscardUnknownFieldsParser.wrap(Envelope.parser()).parseFrom(bytes);
    if (known.getSerializedSize() != bytes.length) {
      refuseCritical(dynamic(bytes));
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
   * Returns the message in a form whose fields can be listed, which needs no reflection of Java.
   */
  static DynamicMessage dynamic(byte[] bytes) throws InvalidProtocolBufferException {
    return DynamicMessage.parseFrom(Envelope.getDescriptor(), bytes);
  }

  /** Returns the failure for a message that a newer version wrote. */
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
