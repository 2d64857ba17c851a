package io.csi4j.examples;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameter;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a module shows: the public and protected parts of the packages that it exports, and the
 * rules for them. Each rule answers with the lines that break it.
 */
record PublicApi(Compiled module, Set<String> exported) {

  /** What the module shows according to its own module-info. */
  static PublicApi of(Compiled module) {
    return new PublicApi(
        module,
        module.descriptor().exports().stream()
            .filter(export -> !export.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));
  }

  /**
   * Types in signatures that are neither of the JDK, nor of JSpecify, nor exported by a module of
   * csi4j.
   *
   * @param exported the packages that any module of csi4j exports
   */
  List<String> foreignTypes(Set<String> exported) {
    List<String> found = new ArrayList<>();
    for (JavaClass type : shown()) {
      String name = type.getName();
      note(name + " extends", type.getSuperclass().stream(), exported, found);
      note(name + " implements", type.getInterfaces().stream(), exported, found);
      note(name + " has the bound", bounds(type.getTypeParameters()), exported, found);
      note(name + " is annotated with", annotations(type.getAnnotations()), exported, found);
      for (JavaField field : type.getFields()) {
        if (isShown(field)) {
          note(field.getFullName() + " is", Stream.of(field.getType()), exported, found);
          note(
              field.getFullName() + " is annotated with",
              annotations(field.getAnnotations()),
              exported,
              found);
        }
      }
      for (JavaCodeUnit unit : type.getCodeUnits()) {
        if (isShown(unit)) {
          note(unit, exported, found);
        }
      }
    }
    return found;
  }

  private static void note(JavaCodeUnit unit, Set<String> exported, List<String> found) {
    String name = unit.getFullName();
    note(name + " returns", Stream.of(unit.getReturnType()), exported, found);
    note(name + " takes", unit.getParameterTypes().stream(), exported, found);
    note(name + " throws", unit.getExceptionTypes().stream(), exported, found);
    note(name + " has the bound", bounds(unit.getTypeParameters()), exported, found);
    note(name + " is annotated with", annotations(unit.getAnnotations()), exported, found);
    for (JavaParameter parameter : unit.getParameters()) {
      note(
          name + " has a parameter annotated with",
          annotations(parameter.getAnnotations()),
          exported,
          found);
    }
  }

  private static void note(
      String what, Stream<? extends JavaType> types, Set<String> exported, List<String> found) {
    types
        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
        .map(JavaClass::getBaseComponentType)
        .filter(type -> !type.isPrimitive())
        .filter(type -> !isOurs(type, exported))
        .map(JavaClass::getName)
        .distinct()
        .forEach(type -> found.add(what + " " + type));
  }

  private static boolean isOurs(JavaClass type, Set<String> exported) {
    String in = type.getPackageName();
    return in.equals("java")
        || in.startsWith("java.")
        || in.equals("javax.sql") // of the JDK as well
        || in.equals("org.jspecify.annotations")
        || exported.contains(in);
  }

  private static Stream<JavaType> bounds(Collection<? extends JavaTypeVariable<?>> variables) {
    return variables.stream().flatMap(variable -> variable.getUpperBounds().stream());
  }

  private static Stream<JavaType> annotations(Collection<? extends JavaAnnotation<?>> annotations) {
    return annotations.stream().map(JavaAnnotation::getRawType);
  }

  /** The names of its types that are public and stand in no other type. */
  List<String> publicTypes() {
    return module.classes().stream()
        .filter(type -> exported.contains(type.getPackageName()))
        .filter(type -> type.isTopLevelClass())
        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .map(JavaClass::getName)
        .sorted()
        .toList();
  }

  /** Methods and constructors where a caller can swap two strings without a compiler noticing. */
  List<String> adjacentStrings() {
    List<String> found = new ArrayList<>();
    for (JavaClass type : shown()) {
      for (JavaCodeUnit unit : type.getCodeUnits()) {
        List<JavaClass> parameters = unit.getRawParameterTypes();
        for (int i = 1; isShown(unit) && i < parameters.size(); i++) {
          if (isString(parameters.get(i - 1)) && isString(parameters.get(i))) {
            found.add(unit.getFullName() + " takes two strings side by side");
          }
        }
      }
    }
    return found;
  }

  private static boolean isString(JavaClass type) {
    return type.isEquivalentTo(String.class);
  }

  /** Implementations of sealed interfaces that can be named, and are no value inside theirs. */
  List<String> openImplementations() {
    try (URLClassLoader loader = module.loader()) {
      List<String> found = new ArrayList<>();
      for (JavaClass type : shown()) {
        Class<?> loaded = Class.forName(type.getName(), false, loader);
        if (loaded.isInterface() && loaded.isSealed()) {
          Arrays.stream(loaded.getPermittedSubclasses())
              .filter(implementation -> exported.contains(implementation.getPackageName()))
              .filter(PublicApi::isNamable)
              .filter(
                  implementation ->
                      !isValue(implementation) || implementation.getEnclosingClass() != loaded)
              .forEach(
                  implementation ->
                      found.add(implementation.getName() + " implements " + type.getName()));
        }
      }
      return found;
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What can be named from outside, and what that inherits from. */
  private List<JavaClass> shown() {
    return module.classes().stream()
        .filter(type -> exported.contains(type.getPackageName()))
        .filter(
            type ->
                isNamable(type) || type.getAllSubclasses().stream().anyMatch(PublicApi::isNamable))
        .toList();
  }

  private static boolean isNamable(JavaClass type) {
    return isShown(type.getModifiers())
        && type.getEnclosingClass().map(PublicApi::isNamable).orElse(true)
        && !type.isAnonymousClass()
        && !type.isLocalClass();
  }

  private static boolean isNamable(Class<?> type) {
    Class<?> enclosing = type.getEnclosingClass();
    boolean isPublic = Modifier.isPublic(type.getModifiers());
    return isPublic && (enclosing == null || isNamable(enclosing));
  }

  /** A record, or a final class that only its builder makes. */
  private static boolean isValue(Class<?> type) {
    return type.isRecord()
        || (Modifier.isFinal(type.getModifiers()) && type.getConstructors().length == 0);
  }

  private static boolean isShown(JavaMember member) {
    return isShown(member.getModifiers())
        && !member.getModifiers().contains(JavaModifier.SYNTHETIC);
  }

  private static boolean isShown(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }
}
