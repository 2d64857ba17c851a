package io.csi4j.testkit.internal.journal;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.testkit.internal.json.JsonReader;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds messages from field names of the spec and their values, which come from a test or a JSON
 * text.
 */
public final class MessageFields {

  private MessageFields() {}

  /**
   * Checks that an answer of the operation can have these values. Throws the same exceptions as
   * {@link #with}.
   */
  public static void check(CsiOperation operation, Map<String, ?> fields) {
    Message unused = with(WireOperation.of(operation).answer(), fields);
  }

  /**
   * Returns a copy of the message with new values for these fields. A value that is a map becomes
   * the value of a map field, or changes the named fields of a nested message. Null and {@link
   * JsonReader#NULL} clear a field.
   *
   * @throws IllegalArgumentException if a field does not exist or is of another kind; the message
   *     names the field
   */
  public static Message with(Message message, Map<?, ?> fields) {
    Message.Builder made = message.toBuilder();
    fields.forEach((name, value) -> set(made, field(message, String.valueOf(name)), value));
    return made.build();
  }

  /**
   * Returns the names of the fields whose values were redacted, such as {@code secrets}. Such a
   * field contains {@link Scrubber#MARK} instead of a value.
   */
  public static List<String> redacted(Message message) {
    Set<String> names = new LinkedHashSet<>();
    redacted("", message, names);
    return List.copyOf(names);
  }

  private static void redacted(String above, Message message, Set<String> names) {
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              String name = above + SpecFields.name(field);
              Collection<?> values =
                  field.isMapField()
                      ? SpecFields.map(message, field).values()
                      : value instanceof List<?> elements ? elements : List.of(value);
              if (values.contains(Scrubber.MARK)) {
                names.add(name);
              }
              values.stream()
                  .filter(Message.class::isInstance)
                  .forEach(inner -> redacted(name + ".", (Message) inner, names));
            });
  }

  private static FieldDescriptor field(Message message, String name) {
    List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
    return fields.stream()
        .filter(field -> SpecFields.name(field).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "A %s has no field %s. It has %s."
                        .formatted(
                            message.getDescriptorForType().getName(),
                            SafeText.quote(name),
                            fields.isEmpty()
                                ? "none"
                                : String.join(
                                    ", ", fields.stream().map(SpecFields::name).toList()))));
  }

  private static void set(Message.Builder made, FieldDescriptor field, @Nullable Object value) {
    if (value == null || value == JsonReader.NULL) {
      made.clearField(field);
    } else if (field.isMapField()) {
      made.clearField(field);
      entries(field, value)
          .forEach((key, text) -> made.addRepeatedField(field, entry(made, field, key, text)));
    } else if (field.isRepeated()) {
      if (!(value instanceof List<?> elements)) {
        throw otherKind(field, "a list", value);
      }
      List<Object> all = new ArrayList<>();
      for (Object element : elements) {
        boolean isMessage = field.getJavaType() == JavaType.MESSAGE;
        all.add(
            isMessage
                ? message(made.newBuilderForField(field).build(), field, element)
                : scalar(field, element));
      }
      made.setField(field, all);
    } else if (field.getJavaType() == JavaType.MESSAGE) {
      made.setField(field, message((Message) made.getField(field), field, value));
    } else {
      made.setField(field, scalar(field, value));
    }
  }

  private static Map<?, ?> entries(FieldDescriptor field, Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    if (value instanceof VolumeContext context) {
      return context.reveal();
    }
    if (value instanceof PublishContext context) {
      return context.reveal();
    }
    throw otherKind(field, "a map of texts", value);
  }

  private static MapEntry<?, ?> entry(
      Message.Builder made, FieldDescriptor field, Object key, Object text) {
    MapEntry.Builder<?, ?> entry = (MapEntry.Builder<?, ?>) made.newBuilderForField(field);
    entry.setField(field.getMessageType().findFieldByNumber(1), key);
    entry.setField(
        field.getMessageType().findFieldByNumber(2),
        checked(field, "a map of texts", String.class, text));
    return entry.build();
  }

  private static Message message(Message old, FieldDescriptor field, Object value) {
    if (value instanceof ProtoMessage given
        && given.message().getDescriptorForType().equals(field.getMessageType())) {
      return given.message();
    }
    if (value instanceof Topology topology) {
      return with(old.getDefaultInstanceForType(), Map.of("segments", topology.segments()));
    }
    if (value instanceof Map<?, ?> fields) {
      return with(old, fields);
    }
    if (old instanceof Timestamp) {
      Instant time = time(field, value);
      return Timestamp.newBuilder()
          .setSeconds(time.getEpochSecond())
          .setNanos(time.getNano())
          .build();
    }
    FieldDescriptor wrapped = field.getMessageType().findFieldByName("value");
    if (wrapped != null && field.getMessageType().getFields().size() == 1) {
      return old.toBuilder().setField(wrapped, scalar(wrapped, value)).build();
    }
    throw otherKind(field, "the fields of a " + field.getMessageType().getName(), value);
  }

  private static Instant time(FieldDescriptor field, Object value) {
    if (value instanceof Instant time) {
      return time;
    }
    try {
      return Instant.parse(String.valueOf(value));
    } catch (DateTimeException e) {
      throw otherKind(field, "a time such as 2030-01-31T12:00:00Z", value);
    }
  }

  private static Object scalar(FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case STRING -> checked(field, "a text", String.class, value);
      case BOOLEAN -> checked(field, "true or false", Boolean.class, value);
      case INT, LONG -> number(field, value);
      case ENUM -> constant(field, value);
      default -> throw otherKind(field, "no value of a test", value);
    };
  }

  private static Object checked(FieldDescriptor field, String wanted, Class<?> kind, Object value) {
    if (!kind.isInstance(value)) {
      throw otherKind(field, wanted, value);
    }
    return value;
  }

  private static Number number(FieldDescriptor field, Object value) {
    try {
      if (value instanceof Number number) {
        BigDecimal exact = new BigDecimal(number.toString());
        return field.getJavaType() == JavaType.INT
            ? (Number) exact.intValueExact()
            : (Number) exact.longValueExact();
      }
    } catch (ArithmeticException | NumberFormatException e) {
      throw otherKind(field, "a whole number that fits", value);
    }
    throw otherKind(field, "a whole number", value);
  }

  private static EnumValueDescriptor constant(FieldDescriptor field, Object value) {
    if (value instanceof Number) {
      int number = number(field, value).intValue();
      return field.getEnumType().findValueByNumberCreatingIfUnknown(number);
    }
    EnumValueDescriptor found = field.getEnumType().findValueByName(String.valueOf(value));
    if (found == null) {
      List<String> names =
          field.getEnumType().getValues().stream().map(EnumValueDescriptor::getName).toList();
      throw otherKind(field, "a number or one of " + String.join(", ", names), value);
    }
    return found;
  }

  private static IllegalArgumentException otherKind(
      FieldDescriptor field, String wanted, Object value) {
    String name = SpecFields.name(field) + " of a " + field.getContainingType().getName();
    return new IllegalArgumentException(
        "The field " + name + " takes " + wanted + ", but got " + kind(value) + ".");
  }

  private static String kind(Object value) {
    if (value instanceof ProtoMessage message) {
      return "a " + message.type();
    }
    if (value instanceof Map) {
      return "a map";
    }
    if (value instanceof List) {
      return "a list";
    }
    if (value instanceof String) {
      return "a text";
    }
    if (value instanceof Number) {
      return "a number";
    }
    return value instanceof Boolean || value == JsonReader.NULL
        ? value.toString()
        : "a " + value.getClass().getName();
  }
}
