package io.csi4j.examples;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The parts of a value that has a builder, by their names and in their order. */
final class ValueParts {

  private ValueParts() {}

  /** Returns what each accessor of the value gives that is named like a part of its builder. */
  static Map<String, Object> of(Object value) throws ReflectiveOperationException {
    Map<String, Object> parts = new LinkedHashMap<>();
    for (String name : namesOf(value.getClass())) {
      parts.put(name, value.getClass().getMethod(name).invoke(value));
    }
    return parts;
  }

  private static Iterable<String> namesOf(Class<?> value) throws ReflectiveOperationException {
    Class<?> builder = value.getMethod("toBuilder").getReturnType();
    return Arrays.stream(builder.getDeclaredFields())
        .filter(field -> !field.isSynthetic())
        .map(field -> field.getName())
        .toList();
  }
}
