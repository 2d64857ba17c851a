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
 * Reads a field of one type of message through the generated getter. Reading a field through the
 * descriptor would create objects for each value, and a list of messages for a map.
 */
final class GeneratedGetter {

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodType READS = MethodType.methodType(Object.class, Message.class);

  private final MethodHandle method;

  private GeneratedGetter(MethodHandle method) {
    this.method = method;
  }

  /**
   * Returns a getter for the value: a map, a list, a message, a text or a number. For an enum, the
   * value is its number.
   */
  static GeneratedGetter value(Class<? extends Message> type, FieldDescriptor field) {
    String kind =
        field.isMapField()
            ? "Map"
            : (field.getJavaType() == FieldDescriptor.JavaType.ENUM ? "Value" : "")
                + (field.isRepeated() ? "List" : "");
    return of(type, "get" + camelCase(field.getName()) + kind);
  }

  /** Returns a getter that reads whether a field with presence is set. */
  static GeneratedGetter presence(Class<? extends Message> type, FieldDescriptor field) {
    return of(type, "has" + camelCase(field.getName()));
  }

  /** Returns a getter that reads which field of the choice is set. */
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

  /** Calls the generated method on this message. */
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
