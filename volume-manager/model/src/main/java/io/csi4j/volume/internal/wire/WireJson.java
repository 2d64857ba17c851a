package io.csi4j.volume.internal.wire;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Converts an envelope to JSON. The result follows protobuf's JSON mapping with four differences:
 * the entries of a map are the fields of an object, access modes have their names, sensitive values
 * are hidden, and unknown fields are listed by their numbers.
 */
public final class WireJson {

  private static final String HIDDEN = "\"<redacted>\"";

  /** The fields that contain the CSI number of an access mode. */
  private static final Set<String> ACCESS_MODES =
      Set.of("csi4j.state.Capability.mode", "csi4j.wire.VolumeStatus.access_mode");

  private WireJson() {}

  /**
   * Returns the envelope in these bytes as JSON with several lines. The caller has already
   * validated the bytes.
   */
  public static String of(byte[] envelope) {
    return object(Envelopes.parse(envelope), "");
  }

  private static String object(Message message, String indentation) {
    String deeper = indentation + "  ";
    List<String> fields = new ArrayList<>();
    message
        .getAllFields()
        .forEach(
            (field, value) ->
                fields.add(text(field.getJsonName()) + ": " + field(field, value, deeper)));
    if (!message.getUnknownFields().asMap().isEmpty()) {
      fields.add("\"unknownFields\": " + message.getUnknownFields().asMap().keySet());
    }
    return braced(fields, indentation);
  }

  private static String braced(List<String> fields, String indentation) {
    return fields.isEmpty()
        ? "{}"
        : fields.stream()
            .map(field -> "\n" + indentation + "  " + field)
            .collect(Collectors.joining(",", "{", "\n" + indentation + "}"));
  }

  private static String field(FieldDescriptor field, Object value, String indentation) {
    boolean isHidden = field.getOptions().getDebugRedact();
    if (value instanceof List<?> all
        && isOf(field, PartsProto.Entry.getDescriptor().getFullName())) {
      return braced(
          all.stream().map(entry -> entry((Message) entry, isHidden)).toList(), indentation);
    } else if (isHidden) {
      return HIDDEN;
    } else if (value instanceof List<?> all) {
      return all.stream()
          .map(each -> value(field, each, indentation))
          .collect(Collectors.joining(", ", "[", "]"));
    }
    return value(field, value, indentation);
  }

  private static boolean isOf(FieldDescriptor field, String message) {
    return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
        && field.getMessageType().getFullName().equals(message);
  }

  private static String entry(Message entry, boolean isHidden) {
    List<FieldDescriptor> parts = entry.getDescriptorForType().getFields();
    return text((String) entry.getField(parts.get(0)))
        + ": "
        + (isHidden ? HIDDEN : text((String) entry.getField(parts.get(1))));
  }

  private static String value(FieldDescriptor field, Object value, String indentation) {
    if (value instanceof Message message) {
      return isOf(field, Timestamp.getDescriptor().getFullName())
          ? time(message)
          : object(message, indentation);
    } else if (value instanceof EnumValueDescriptor constant) {
      boolean isKnown = constant.getType().findValueByName(constant.getName()) != null;
      return isKnown ? text(constant.getName()) : String.valueOf(constant.getNumber());
    } else if (value instanceof ByteString bytes) {
      return text(Base64.getEncoder().encodeToString(bytes.toByteArray()));
    } else if (value instanceof Long mode && ACCESS_MODES.contains(field.getFullName())) {
      return WireParts.accessMode(mode).map(AccessMode::name).map(WireJson::text).orElse("" + mode);
    } else if (value instanceof Long number) {
      return text(Long.toUnsignedString(number));
    }
    return value instanceof String text ? text(text) : String.valueOf(value);
  }

  private static String time(Message time) {
    List<FieldDescriptor> parts = time.getDescriptorForType().getFields();
    long seconds = (Long) time.getField(parts.get(0));
    int nanos = (Integer) time.getField(parts.get(1));
    try {
      Timestamp read = Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos).build();
      return text(StoredParts.time(read).toString());
    } catch (MalformedRecordException e) {
      return text(seconds + " s");
    }
  }

  /**
   * Returns the text as a JSON string. Control characters and characters that change the display
   * order are escaped.
   */
  private static String text(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if ((c >= ' ' && c < 0x7f) || Character.isLetterOrDigit(c)) {
        out.append(c);
      } else {
        out.append("\\u").append(HexFormat.of().toHexDigits(c));
      }
    }
    return out.append('"').toString();
  }
}
