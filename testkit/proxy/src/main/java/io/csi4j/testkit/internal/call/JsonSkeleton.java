package io.csi4j.testkit.internal.call;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.SpecFields;
import java.util.List;
import java.util.stream.Collectors;

/** Describes the fields of a message as a JSON template: each field with the kind of its value. */
public final class JsonSkeleton {

  private static final String TEXT = "\"TEXT\"";

  private JsonSkeleton() {}

  /**
   * Returns the fields of this kind of message on several lines, of which the first is not
   * indented.
   */
  public static String of(Message kind) {
    return object(kind, "");
  }

  private static String object(Message kind, String indentation) {
    List<FieldDescriptor> fields = kind.getDescriptorForType().getFields();
    if (fields.isEmpty()) {
      return "{}";
    }
    String deeper = indentation + "  ";
    return fields.stream()
        .map(
            field ->
                deeper
                    + "\""
                    + SpecFields.name(field)
                    + "\": "
                    + (field.isRepeated() && !field.isMapField()
                        ? "[" + value(kind, field, deeper) + "]"
                        : value(kind, field, deeper)))
        .collect(Collectors.joining(",\n", "{\n", "\n" + indentation + "}"));
  }

  private static String value(Message kind, FieldDescriptor field, String indentation) {
    if (field.isMapField()) {
      return "{\"KEY\": " + TEXT + "}";
    }
    return switch (field.getJavaType()) {
      case STRING -> TEXT;
      case BOOLEAN -> "true";
      case ENUM ->
          field.getEnumType().getValues().stream()
              .map(EnumValueDescriptor::getName)
              .collect(Collectors.joining("|", "\"", "\""));
      case MESSAGE -> nested(kind.newBuilderForType().newBuilderForField(field), indentation);
      case INT, LONG, FLOAT, DOUBLE -> "0";
      case BYTE_STRING -> TEXT;
    };
  }

  private static String nested(Message.Builder field, String indentation) {
    Message kind = field.getDefaultInstanceForType();
    String file = kind.getDescriptorForType().getFile().getName();
    if (file.endsWith("/timestamp.proto")) {
      return "\"2030-01-31T12:00:00Z\"";
    }
    if (file.endsWith("/wrappers.proto")) {
      FieldDescriptor inner = kind.getDescriptorForType().findFieldByNumber(1);
      return inner.getJavaType() == JavaType.MESSAGE ? "{}" : value(kind, inner, indentation);
    }
    return object(kind, indentation);
  }
}
