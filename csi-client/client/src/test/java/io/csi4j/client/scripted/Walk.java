package io.csi4j.client.scripted;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All that a user can get out of a value through the public methods of its public type, down to
 * texts and numbers: one line for each.
 */
public final class Walk {

  private static final Set<String> SKIPPED =
      Set.of(
          "hashCode",
          "toString",
          "getClass",
          "notify",
          "notifyAll",
          "wait",
          "iterator",
          "toBuilder",
          "stream");

  private final Set<String> lines = new TreeSet<>();
  private final boolean printing;

  private Walk(boolean printing) {
    this.printing = printing;
  }

  /** The lines of {@code value}. */
  public static Set<String> lines(@Nullable Object value) {
    Walk walk = new Walk(false);
    walk.visit("", value);
    return walk.lines;
  }

  /**
   * The lines of {@code value} but for what it gives only when told to {@code reveal} it, and what
   * it and all that is in it prints as.
   */
  public static Set<String> printed(@Nullable Object value) {
    Walk walk = new Walk(true);
    walk.visit("", value);
    return walk.lines;
  }

  private void visit(String path, @Nullable Object value) {
    if (value == null
        || value instanceof CharSequence
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof Enum<?>
        || value.getClass().getName().startsWith("java.time")
        || value instanceof Path) {
      lines.add(path + "=" + value);
    } else if (value instanceof Optional<?> optional) {
      visit(path, optional.orElse(null));
    } else if (value instanceof OptionalLong optional) {
      lines.add(path + "=" + optional);
    } else if (value instanceof OptionalInt optional) {
      lines.add(path + "=" + optional);
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((key, each) -> visit(path + "{" + key + "}", each));
    } else if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        visit(path + "[" + i + "]", list.get(i));
      }
    } else if (value instanceof Collection<?> collection) {
      collection.forEach(each -> visit(path + "[]", each));
    } else {
      if (printing) {
        lines.add(path + " is " + value);
      }
      for (Method accessor : accessors(publicType(value.getClass()))) {
        if (printing && accessor.getName().equals("reveal")) {
          continue;
        }
        visit(path + "." + accessor.getName(), invoke(value, accessor));
      }
    }
  }

  /** The type under which users know a value: itself, or the interface in front of it. */
  private static Class<?> publicType(Class<?> type) {
    if (!type.getPackageName().contains(".internal")) {
      return type;
    }
    return Arrays.stream(type.getInterfaces())
        .filter(each -> !each.getPackageName().contains(".internal"))
        .findFirst()
        .orElseThrow(() -> new AssertionError(type + " is seen by users but not public"));
  }

  private static List<Method> accessors(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getParameterCount() == 0)
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType() != void.class)
        .filter(method -> method.getReturnType() != type)
        .filter(method -> !SKIPPED.contains(method.getName()))
        .sorted(Comparator.comparing(Method::getName))
        .toList();
  }

  private static @Nullable Object invoke(Object target, Method method) {
    try {
      method.setAccessible(true);
      return method.invoke(target);
    } catch (InvocationTargetException | IllegalAccessException e) {
      throw new LinkageError(method.toString(), e);
    }
  }
}
