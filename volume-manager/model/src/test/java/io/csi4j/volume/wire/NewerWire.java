package io.csi4j.volume.wire;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.volume.internal.wire.WireSchema;

/**
 * A later version of the wire form: more fields, more values, one more kind. It reads and writes
 * for real, by its own descriptors.
 */
final class NewerWire {

  private static final FileDescriptor FILE = file();
  private static final Descriptor ENVELOPE = FILE.findMessageTypeByName("Envelope");

  private NewerWire() {}

  private static FileDescriptor file() {
    FileDescriptorProto.Builder file = WireSchema.file().toProto().toBuilder();
    file.addMessageType(DescriptorProto.newBuilder().setName("Forecast").addField(text("day", 1)));
    for (DescriptorProto.Builder each : file.getMessageTypeBuilderList()) {
      switch (each.getName()) {
        case "Envelope" ->
            each.addField(
                    FieldDescriptorProto.newBuilder()
                        .setName("forecast")
                        .setNumber(30)
                        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
                        .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                        .setTypeName(".csi4j.wire.Forecast")
                        .setOneofIndex(0))
                .addField(text("trace", 31));
        case "ClaimGrant" -> each.addField(text("hint", 20)).addField(text("must", 1000));
        case "Use" -> each.addField(text("region", 9)).addField(text("must", 1007));
        default -> {
          continue;
        }
      }
    }
    file.getEnumTypeBuilderList().stream()
        .filter(each -> each.getName().equals("ClaimMode"))
        .forEach(
            each ->
                each.addValue(
                    EnumValueDescriptorProto.newBuilder().setName("APPEND").setNumber(3)));
    try {
      return FileDescriptor.buildFrom(
          file.build(), WireSchema.file().getDependencies().toArray(FileDescriptor[]::new));
    } catch (DescriptorValidationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static FieldDescriptorProto text(String name, int number) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
        .setType(FieldDescriptorProto.Type.TYPE_STRING)
        .build();
  }

  /** Returns the message as the later version reads it. */
  static Message read(ClusterMessage message) {
    try {
      return DynamicMessage.parseFrom(ENVELOPE, message.encode());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * Returns the message with one more value at a path, as the later version writes it.
   *
   * @param path the names of fields, from the envelope down
   */
  static byte[] with(ClusterMessage message, String path, Object value) {
    return with(read(message), path.split("\\.", -1), 0, value).toByteArray();
  }

  private static Message with(Message in, String[] path, int at, Object value) {
    FieldDescriptor field = field(in, path[at]);
    Message.Builder out = in.toBuilder();
    if (at == path.length - 1) {
      Object set =
          field.getJavaType() == FieldDescriptor.JavaType.ENUM
              ? field.getEnumType().findValueByName((String) value)
              : value;
      return out.setField(field, set).build();
    }
    return out.setField(field, with((Message) in.getField(field), path, at + 1, value)).build();
  }

  /** Returns a message of the kind that only the later version knows. */
  static byte[] forecast(String day) {
    Descriptor forecast = FILE.findMessageTypeByName("Forecast");
    return DynamicMessage.newBuilder(ENVELOPE)
        .setField(ENVELOPE.findFieldByName("version"), 1)
        .setField(
            ENVELOPE.findFieldByName("forecast"),
            DynamicMessage.newBuilder(forecast)
                .setField(forecast.findFieldByName("day"), day)
                .build())
        .build()
        .toByteArray();
  }

  /** Returns the value at a path, as the later version reads it. */
  static Object at(ClusterMessage message, String path) {
    Object value = read(message);
    for (String name : path.split("\\.", -1)) {
      value = ((Message) value).getField(field((Message) value, name));
    }
    return value;
  }

  private static FieldDescriptor field(Message in, String name) {
    return in.getDescriptorForType().findFieldByName(name);
  }
}
