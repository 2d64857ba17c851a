package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import java.util.Map;

/** Fields of messages by their names, for messages of several types. */
final class MessageFields {

  private MessageFields() {}

  static Object get(MessageOrBuilder from, String name) {
    return from.getField(from.getDescriptorForType().findFieldByName(name));
  }

  /** Sets a field; does nothing if messages of this type have none of that name. */
  static void set(Message.Builder to, String name, Object value) {
    FieldDescriptor field = to.getDescriptorForType().findFieldByName(name);
    if (field != null) {
      to.setField(field, value);
    }
  }

  /** Adds entries to a map; does nothing if messages of this type have none of that name. */
  static void putAll(Message.Builder to, String name, Map<String, String> entries) {
    FieldDescriptor field = to.getDescriptorForType().findFieldByName(name);
    if (field != null) {
      FieldDescriptor key = field.getMessageType().findFieldByName("key");
      FieldDescriptor value = field.getMessageType().findFieldByName("value");
      entries.forEach(
          (k, v) -> {
            Message.Builder entry = to.newBuilderForField(field);
            to.addRepeatedField(field, entry.setField(key, k).setField(value, v).build());
          });
    }
  }
}
