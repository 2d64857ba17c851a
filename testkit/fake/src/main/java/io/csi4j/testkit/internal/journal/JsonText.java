package io.csi4j.testkit.internal.journal;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.internal.redaction.SpecFields;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A message as one line of JSON: the names of the spec, sensitive values left out. */
final class JsonText {

  private final StringBuilder out = new StringBuilder(256);

  private JsonText() {}

  static String of(Message message) {
    JsonText text = new JsonText();
    text.message(message);
    return text.out.toString();
  }

  /** {@code text} as a JSON string, in ASCII. */
  static String quoted(String text) {
    JsonText json = new JsonText();
    json.string(text);
    return json.out.toString();
  }

  private void message(Message message) {
    out.append('{');
    String separator = "";
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      out.append(separator);
      separator = ",";
      string(SpecFields.name(field));
      out.append(':');
      if (field.isMapField()) {
        map(SpecFields.map(message, field), SpecFields.isSensitive(field));
      } else if (entry.getValue() instanceof List<?> elements) {
        list(field, elements);
      } else {
        value(field, entry.getValue());
      }
    }
    out.append('}');
  }

  private void map(Map<String, String> entries, boolean sensitive) {
    out.append('{');
    String separator = "";
    for (Map.Entry<String, String> entry : entries.entrySet()) {
      out.append(separator);
      separator = ",";
      string(entry.getKey());
      out.append(':');
      string(sensitive ? Scrubber.MARK : entry.getValue());
    }
    out.append('}');
  }

  private void list(FieldDescriptor field, List<?> elements) {
    out.append('[');
    String separator = "";
    for (Object element : elements) {
      out.append(separator);
      separator = ",";
      value(field, element);
    }
    out.append(']');
  }

  private void value(FieldDescriptor field, Object value) {
    if (SpecFields.isSensitive(field)) {
      string(Scrubber.MARK);
      return;
    }
    switch (field.getJavaType()) {
      case STRING -> string((String) value);
      case MESSAGE -> nested((Message) value);
      case ENUM -> {
        EnumValueDescriptor constant = (EnumValueDescriptor) value;
        if (constant.getIndex() < 0) {
          out.append(constant.getNumber());
        } else {
          string(constant.getName());
        }
      }
      case BYTE_STRING ->
          string(Base64.getEncoder().encodeToString(((ByteString) value).toByteArray()));
      case INT, LONG, BOOLEAN -> out.append(value);
      case FLOAT, DOUBLE -> string(value.toString());
    }
  }

  /** A wrapped value is shown bare, as protobuf's own JSON does. */
  private void nested(Message message) {
    if (message.getDescriptorForType().getFile().getName().endsWith("/wrappers.proto")) {
      FieldDescriptor inner = message.getDescriptorForType().findFieldByNumber(1);
      if (inner.getJavaType() != JavaType.MESSAGE) {
        value(inner, message.getField(inner));
        return;
      }
    }
    message(message);
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20 || c > 0x7e) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
