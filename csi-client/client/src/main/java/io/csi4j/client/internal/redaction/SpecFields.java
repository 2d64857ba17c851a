package io.csi4j.client.internal.redaction;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CsiProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The names of message fields in the spec, and whether the fields are secret. */
public final class SpecFields {

  /** Fields that the spec does not mark as secret, but where plugins put passwords and tokens. */
  private static final Set<String> SENSITIVE =
      Set.of("mount_flags", "volume_context", "publish_context");

  /**
   * Fields that mostly contain values such as the name of a storage class. Some plugins accept
   * passwords in them.
   */
  private static final Set<String> PARAMETERS =
      Set.of("parameters", "mutable_params", "mutable_parameters");

  private SpecFields() {}

  private static final Set<String> SENSITIVE_MESSAGES =
      CsiProto.getDescriptor().getMessageTypes().stream()
          .filter(SpecFields::holdsSensitiveField)
          .map(Descriptor::getFullName)
          .collect(Collectors.toUnmodifiableSet());

  /** Returns the name in the spec. */
  public static String name(FieldDescriptor field) {
    // This is the only field that csi.proto of this client had to rename.
    return field.getName().equals("mutable_params") ? "mutable_parameters" : field.getName();
  }

  /** Returns whether the spec marks the field as a secret. */
  public static boolean isSecret(FieldDescriptor field) {
    return field.getOptions().getExtension(CsiProto.csiSecret);
  }

  /** Returns whether the values of the field must never be shown. */
  public static boolean isSensitive(FieldDescriptor field) {
    return isSecret(field) || SENSITIVE.contains(field.getName());
  }

  /** Returns whether requests and answers are printed without the values of the field. */
  public static boolean isHidden(FieldDescriptor field) {
    return isSensitive(field) || PARAMETERS.contains(field.getName());
  }

  /** Returns whether messages of this type can contain sensitive values, at any depth. */
  public static boolean canBeSensitive(Descriptor type) {
    return SENSITIVE_MESSAGES.contains(type.getFullName());
  }

  private static boolean holdsSensitiveField(Descriptor type) {
    return type.getFields().stream()
        .anyMatch(
            field ->
                isSensitive(field)
                    || (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                        && holdsSensitiveField(field.getMessageType())));
  }

  /** Returns the entries of a map field, in the order of the message. */
  public static Map<String, String> map(Message message, FieldDescriptor field) {
    FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
    Map<String, String> entries = new LinkedHashMap<>();
    for (Object element : list(message, field)) {
      Message entry = (Message) element;
      entries.put(entry.getField(key).toString(), entry.getField(value).toString());
    }
    return entries;
  }

  /** Returns the elements of a repeated field. */
  public static List<?> list(Message message, FieldDescriptor field) {
    return (List<?>) message.getField(field);
  }
}
