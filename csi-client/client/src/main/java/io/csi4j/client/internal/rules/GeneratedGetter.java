package io.csi4j.client.internal.rules;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Reads something off the messages of one kind by the method that was generated for it. Asked by
 * its descriptor, a message makes objects for each answer, and of a map a list of messages.
 */
final class GeneratedGetter {

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodType READS = MethodType.methodType(Object.class, Message.class);

  private final MethodHandle method;

  private GeneratedGetter(MethodHandle method) {
    this.method = method;
  }

  /** The value: a map, a list, a message, a text, a number; of an enum its number. */
  static GeneratedGetter value(Class<? extends Message> type, FieldDescriptor field) {
    String kind =
        field.isMapField()
            ? "Map"
            : (field.getJavaType() == FieldDescriptor.JavaType.ENUM ? "Value" : "")
                + (field.isRepeated() ? "List" : "");
    return of(type, "get" + camelCase(field.getName()) + kind);
  }

  /** Whether the field is set, of one that tells so. */
  static GeneratedGetter presence(Class<? extends Message> type, FieldDescriptor field) {
    return of(type, "has" + camelCase(field.getName()));
  }

  /** Which of its fields is set. */
  static GeneratedGetter choice(Class<? extends Message> type, OneofDescriptor oneof) {
    return of(type, "get" + camelCase(oneof.getName()) + "Case");
  }

  private static GeneratedGetter of(Class<? extends Message> type, String name) {
    try {
      return new GeneratedGetter(LOOKUP.unreflect(type.getMethod(name)).asType(READS));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "The generated " + type.getSimpleName() + " has no method " + name + ".", e);
    }
  }

  private static String camelCase(String name) {
    return Arrays.stream(name.split("_"))
        .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
        .collect(Collectors.joining());
  }

  /** Calls the method of this message. */
  Object read(Message message) {
    try {
      return (Object) method.invokeExact(message);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A generated method declares no exception.", e);
    }
  }
}
