package io.csi4j.testkit.internal.journal;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A protobuf message whose fields can be read by their names in the spec. */
public final class ProtoMessage implements WireMessage {

  private final Message message;

  public ProtoMessage(Message message) {
    this.message = message;
  }

  public Message message() {
    return message;
  }

  @Override
  public String type() {
    return message.getDescriptorForType().getName();
  }

  @Override
  public Set<String> fields() {
    Set<String> names = new LinkedHashSet<>();
    message.getAllFields().keySet().forEach(field -> names.add(SpecFields.name(field)));
    return Collections.unmodifiableSet(names);
  }

  @Override
  public boolean has(String field) {
    FieldDescriptor found = field(field);
    return found.isRepeated() ? message.getRepeatedFieldCount(found) > 0 : message.hasField(found);
  }

  @Override
  public String text(String field) {
    return (String) unwrapped(one(field, JavaType.STRING));
  }

  @Override
  public long number(String field) {
    Object value = unwrapped(one(field, JavaType.LONG, JavaType.INT, JavaType.ENUM));
    return value instanceof EnumValueDescriptor constant
        ? constant.getNumber()
        : ((Number) value).longValue();
  }

  @Override
  public boolean flag(String field) {
    return (Boolean) unwrapped(one(field, JavaType.BOOLEAN));
  }

  @Override
  public String choice(String field) {
    EnumValueDescriptor constant =
        (EnumValueDescriptor) message.getField(one(field, JavaType.ENUM));
    return constant.getIndex() < 0 ? Integer.toString(constant.getNumber()) : constant.getName();
  }

  @Override
  public Map<String, String> map(String field) {
    FieldDescriptor found = field(field);
    if (!found.isMapField()) {
      throw otherKind(found);
    }
    return Collections.unmodifiableMap(SpecFields.map(message, found));
  }

  @Override
  public WireMessage message(String field) {
    return new ProtoMessage((Message) message.getField(one(field, JavaType.MESSAGE)));
  }

  @Override
  public List<String> texts(String field) {
    return list(field, JavaType.STRING).stream().map(String.class::cast).toList();
  }

  @Override
  public List<WireMessage> messages(String field) {
    return list(field, JavaType.MESSAGE).stream()
        .<WireMessage>map(element -> new ProtoMessage((Message) element))
        .toList();
  }

  @Override
  public WireMessage withoutSecrets() {
    return new ProtoMessage(withoutSecrets(message));
  }

  @Override
  public String json() {
    return JsonText.of(message);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ProtoMessage that && that.message.equals(message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }

  @Override
  public String toString() {
    return type() + RedactedText.of(message, UnaryOperator.identity());
  }

  /** Returns the end of a call that was answered with these messages. */
  public static CallEnd answered(List<Message> messages) {
    return new CallEnd.Answered(messages.stream().<WireMessage>map(ProtoMessage::new).toList());
  }

  /** Returns the messages of an answered call as protobuf messages. */
  public static List<Message> messages(CallEnd.Answered answered) {
    return answered.messages().stream().map(each -> ((ProtoMessage) each).message()).toList();
  }

  public static Message withoutSecrets(Message message) {
    return rebuilt(message, (field, value) -> SpecFields.isSecret(field) ? null : value);
  }

  /**
   * Returns a copy of the message in which {@code made} has replaced the values at any depth.
   *
   * @param made returns the new value for each value; a map counts as one value, and null clears
   *     the field
   */
  public static Message rebuilt(
      Message message, BiFunction<FieldDescriptor, Object, @Nullable Object> made) {
    Message.Builder builder = message.toBuilder();
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              Object other =
                  value instanceof List<?> elements && !field.isMapField()
                      ? elements.stream().map(each -> rebuilt(field, each, made)).toList()
                      : rebuilt(field, value, made);
              if (other == null) {
                builder.clearField(field);
              } else {
                builder.setField(field, other);
              }
            });
    return builder.build();
  }

  private static @Nullable Object rebuilt(
      FieldDescriptor field,
      Object value,
      BiFunction<FieldDescriptor, Object, @Nullable Object> made) {
    return value instanceof Message inner ? rebuilt(inner, made) : made.apply(field, value);
  }

  /**
   * Returns the value of a field. If the spec wraps the value, to distinguish unset from default,
   * returns the inner value.
   */
  private Object unwrapped(FieldDescriptor field) {
    Object value = message.getField(field);
    if (isWrapper(field)) {
      Message wrapper = (Message) value;
      return wrapper.getField(wrapper.getDescriptorForType().findFieldByNumber(1));
    }
    return value;
  }

  private FieldDescriptor one(String name, JavaType... types) {
    FieldDescriptor field = field(name);
    JavaType type =
        isWrapper(field) && types[0] != JavaType.MESSAGE
            ? field.getMessageType().findFieldByNumber(1).getJavaType()
            : field.getJavaType();
    if (field.isRepeated() || !List.of(types).contains(type)) {
      throw otherKind(field);
    }
    return field;
  }

  private List<?> list(String name, JavaType type) {
    FieldDescriptor field = field(name);
    if (!field.isRepeated() || field.isMapField() || field.getJavaType() != type) {
      throw otherKind(field);
    }
    return SpecFields.list(message, field);
  }

  private FieldDescriptor field(String name) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (SpecFields.name(field).equals(name)) {
        return field;
      }
    }
    throw new IllegalArgumentException(
        "A " + type() + " has no field " + name + ". It has " + names() + ".");
  }

  private IllegalArgumentException otherKind(FieldDescriptor field) {
    String kind =
        field.isMapField()
            ? "a map"
            : (field.isRepeated() ? "a list of " : "one ") + field.getType().name();
    return new IllegalArgumentException(
        "The field %s of a %s has another type: %s. All fields: %s."
            .formatted(SpecFields.name(field), type(), kind, names()));
  }

  private String names() {
    return String.join(
        ", ", message.getDescriptorForType().getFields().stream().map(SpecFields::name).toList());
  }

  private static boolean isWrapper(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && field.getMessageType().getFile().getName().endsWith("/wrappers.proto");
  }
}
