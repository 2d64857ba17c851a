package io.csi4j.volume.internal.faults;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Which tests of this module carry the tag of a row. */
final class RowTags {

  /** Other tags are none of ours: {@code mount}, {@code P7}, {@code D-03}. */
  private static final Pattern ROW = Pattern.compile("[A-L][0-9]+|I-[0-9]+");

  private RowTags() {}

  /** The tests that are run, as class and method, by tag. */
  static SortedMap<String, Set<String>> inThisModule() throws IOException {
    SortedMap<String, Set<String>> tags = new TreeMap<>();
    for (Class<?> each : classes()) {
      of(each)
          .forEach((tag, tests) -> tags.computeIfAbsent(tag, t -> new TreeSet<>()).addAll(tests));
    }
    return tags;
  }

  /** The tests of one class. */
  static SortedMap<String, Set<String>> of(Class<?> testClass) {
    SortedMap<String, Set<String>> tags = new TreeMap<>();
    Class<?> outermost = testClass;
    while (outermost.getEnclosingClass() != null) {
      outermost = outermost.getEnclosingClass();
    }
    String name = outermost.getSimpleName();
    for (Method method :
        ReflectionSupport.findMethods(
            testClass,
            each -> AnnotationSupport.isAnnotated(each, Testable.class),
            HierarchyTraversalMode.TOP_DOWN)) {
      String test = name + "#" + method.getName();
      add(tags, testClass, test);
      add(tags, method, test);
    }
    return tags;
  }

  private static void add(
      SortedMap<String, Set<String>> tags, AnnotatedElement element, String test) {
    for (Tag tag : AnnotationSupport.findRepeatableAnnotations(element, Tag.class)) {
      if (ROW.matcher(tag.value()).matches()) {
        tags.computeIfAbsent(tag.value(), t -> new TreeSet<>()).add(test);
      }
    }
  }

  private static List<Class<?>> classes() throws IOException {
    Path root;
    try {
      root = Path.of(RowTags.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.equals("module-info.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.'))
          .<Class<?>>map(RowTags::load)
          .filter(each -> !Modifier.isPrivate(each.getModifiers()))
          .collect(Collectors.toList());
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, RowTags.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }
}
