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
import java.util.StringJoiner;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Formats a message as one line of JSON, with the field names of the spec and without sensitive
 * values.
 */
public final class JsonText {

  private static final JsonText USUAL =
      new JsonText(SpecFields::isSensitive, UnaryOperator.identity());

  private final Predicate<FieldDescriptor> hidden;
  private final UnaryOperator<String> scrubber;

  private JsonText(Predicate<FieldDescriptor> hidden, UnaryOperator<String> scrubber) {
    this.hidden = hidden;
    this.scrubber = scrubber;
  }

  static String of(Message message) {
    return USUAL.text(message);
  }

  /** Formats a message with all its values, including secrets. */
  public static String unredacted(Message message) {
    return new JsonText(field -> false, UnaryOperator.identity()).text(message);
  }

  /**
   * Formats the message without sensitive values; {@code scrubber} removes them from texts.
   *
   * @param contexts whether the text shows mount flags and the values of contexts; it never shows
   *     secrets
   */
  public static String of(Message message, boolean contexts, UnaryOperator<String> scrubber) {
    return new JsonText(contexts ? SpecFields::isSecret : SpecFields::isSensitive, scrubber)
        .text(message);
  }

  private String text(Message message) {
    StringJoiner json = new StringJoiner(",", "{", "}");
    message
        .getAllFields()
        .forEach(
            (field, value) ->
                json.add(string(SpecFields.name(field)) + ":" + field(message, field, value)));
    return json.toString();
  }

  private String field(Message message, FieldDescriptor field, Object value) {
    if (field.isMapField()) {
      StringJoiner json = new StringJoiner(",", "{", "}");
      boolean sensitive = hidden.test(field);
      SpecFields.map(message, field)
          .forEach(
              (key, text) ->
                  json.add(
                      string(scrubber.apply(key))
                          + ":"
                          + string(sensitive ? Scrubber.MARK : scrubber.apply(text))));
      return json.toString();
    }
    if (value instanceof List<?> elements) {
      return elements.stream()
          .map(element -> value(field, element))
          .collect(Collectors.joining(",", "[", "]"));
    }
    return value(field, value);
  }

  private String value(FieldDescriptor field, Object value) {
    if (hidden.test(field)) {
      return string(Scrubber.MARK);
    }
    return switch (field.getJavaType()) {
      case STRING -> string(scrubber.apply((String) value));
      case MESSAGE -> nested((Message) value);
      case ENUM -> {
        EnumValueDescriptor constant = (EnumValueDescriptor) value;
        yield constant.getIndex() < 0
            ? Integer.toString(constant.getNumber())
            : string(constant.getName());
      }
      case BYTE_STRING ->
          string(Base64.getEncoder().encodeToString(((ByteString) value).toByteArray()));
      case INT, LONG, BOOLEAN -> String.valueOf(value);
      case FLOAT, DOUBLE -> string(value.toString());
    };
  }

  /**
   * Formats a nested message. A wrapped value is formatted without its wrapper, as in protobuf's
   * own JSON format.
   */
  private String nested(Message message) {
    if (message.getDescriptorForType().getFile().getName().endsWith("/wrappers.proto")) {
      FieldDescriptor inner = message.getDescriptorForType().findFieldByNumber(1);
      if (inner.getJavaType() != JavaType.MESSAGE) {
        return value(inner, message.getField(inner));
      }
    }
    return text(message);
  }

  /** Formats a text as a JSON string that contains only ASCII characters. */
  public static String string(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2);
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
    return out.append('"').toString();
  }
}
