package io.csi4j.client.internal.redaction;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Converts a message into one line for the wire log. The line has the field names of the spec;
 * texts are escaped and cut, and sensitive values are left out.
 */
public final class RedactedText {

  private static final int LIMIT = 4 << 10;
  private static final int TEXT_LIMIT = 128;
  private static final int ELEMENTS_LIMIT = 16;
  private static final String CUT = "…";

  private final StringBuilder out = new StringBuilder(256);

  private final UnaryOperator<String> scrubber;

  private RedactedText(UnaryOperator<String> scrubber) {
    this.scrubber = scrubber;
  }

  /**
   * Returns the line for {@code message}, at most 4 KiB long. Passes all texts of the message
   * through {@code scrubber}.
   */
  public static String of(Message message, UnaryOperator<String> scrubber) {
    RedactedText text = new RedactedText(scrubber);
    text.message(message);
    return text.cut();
  }

  private void message(Message message) {
    out.append('{');
    String separator = "";
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      if (isFull()) {
        break;
      }
      FieldDescriptor field = entry.getKey();
      out.append(separator).append(SpecFields.name(field));
      separator = " ";
      if (field.isMapField()) {
        map(field, SpecFields.map(message, field));
      } else if (field.isRepeated()) {
        list(field, (List<?>) entry.getValue());
      } else {
        if (!isPlainMessage(field)) {
          out.append('=');
        }
        value(field, entry.getValue());
      }
    }
    out.append('}');
  }

  private void map(FieldDescriptor field, Map<String, String> entries) {
    boolean hidden = SpecFields.isHidden(field);
    List<Map.Entry<String, String>> list = new ArrayList<>(entries.entrySet());
    out.append('{');
    for (int i = 0; i < list.size() && goesOn(i, list.size()); i++) {
      out.append(escaped(list.get(i).getKey())).append('=');
      if (hidden) {
        out.append(Scrubber.MARK);
      } else {
        text(list.get(i).getValue());
      }
    }
    out.append('}');
  }

  private void list(FieldDescriptor field, List<?> elements) {
    if (SpecFields.isSensitive(field)) {
      out.append("=<").append(elements.size()).append(" redacted>");
      return;
    }
    out.append('[');
    for (int i = 0; i < elements.size() && goesOn(i, elements.size()); i++) {
      value(field, elements.get(i));
    }
    out.append(']');
  }

  /**
   * Writes the separator before element {@code i}; returns false if the element must not be shown.
   */
  private boolean goesOn(int i, int size) {
    out.append(i == 0 ? "" : ", ");
    if (i == ELEMENTS_LIMIT) {
      out.append("… ").append(size - i).append(" more");
      return false;
    }
    return !isFull();
  }

  private void value(FieldDescriptor field, Object value) {
    if (SpecFields.isSensitive(field)) {
      out.append(Scrubber.MARK);
      return;
    }
    switch (field.getJavaType()) {
      case STRING -> text((String) value);
      case MESSAGE -> {
        Message message = (Message) value;
        if (isPlainMessage(field)) {
          message(message);
        } else {
          FieldDescriptor wrapped = message.getDescriptorForType().findFieldByNumber(1);
          value(wrapped, message.getField(wrapped));
        }
      }
      case ENUM -> {
        EnumValueDescriptor constant = (EnumValueDescriptor) value;
        out.append(
            constant.getIndex() < 0 ? Integer.toString(constant.getNumber()) : constant.getName());
      }
      case BYTE_STRING -> out.append("<bytes>");
      case INT, LONG, FLOAT, DOUBLE, BOOLEAN -> out.append(value);
    }
  }

  /**
   * Returns whether the value is a message that is shown with its field names. A wrapper message,
   * such as a wrapped number, is shown without them.
   */
  private static boolean isPlainMessage(FieldDescriptor field) {
    return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
        && !field.getMessageType().getFile().getName().endsWith("/wrappers.proto");
  }

  private void text(String text) {
    out.append('"').append(escaped(text)).append('"');
  }

  private String escaped(String text) {
    return SafeText.escape(scrubber.apply(text), TEXT_LIMIT).replace("\"", "\\\"");
  }

  private boolean isFull() {
    return out.length() > LIMIT;
  }

  private String cut() {
    if (SafeText.utf8Length(out) <= LIMIT) {
      return out.toString();
    }
    int room = LIMIT - SafeText.utf8Length(CUT);
    int end = 0;
    while (true) {
      int c = out.codePointAt(end);
      room -= SafeText.utf8Length(Character.toString(c));
      if (room < 0) {
        return out.substring(0, end) + CUT;
      }
      end += Character.charCount(c);
    }
  }
}
