package io.csi4j.examples;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Classes that break the rows of the table of csi4j, and classes that may import what a row forbids
 * to others; compiled once for all rows.
 */
final class BoundarySamples {

  private static @Nullable BoundarySamples made;

  private final JavaClasses classes;

  private BoundarySamples(Path directory) {
    Set<String> sources = new LinkedHashSet<>();
    for (Boundary row : Boundary.TABLE) {
      for (int i = 0; i < row.forbidden().size(); i++) {
        String there = there(row, i);
        sources.add(source(there, "public", ""));
        sources.add(source(breaking(row, i), "", there + " there;"));
      }
      for (int i = 0; i < row.allowed().size(); i++) {
        sources.add(source(allowed(row, i), "", there(row, 0) + " there;"));
      }
    }
    classes = Compiled.sources(directory, sources.toArray(String[]::new)).classes();
  }

  /** The samples, compiled into {@code directory} when they are first asked for. */
  static BoundarySamples in(Path directory) {
    BoundarySamples samples = made == null ? new BoundarySamples(directory) : made;
    made = samples;
    return samples;
  }

  private static String source(String type, String modifier, String body) {
    int dot = type.lastIndexOf('.');
    return "package %s; %s class %s { %s }"
        .formatted(type.substring(0, dot), modifier, type.substring(dot + 1), body);
  }

  /** A class of a forbidden package. */
  private static String there(Boundary row, int index) {
    String forbidden = row.forbidden().get(index);
    return forbidden.endsWith("..")
        ? forbidden.replace("..", "") + ".there.There"
        : forbidden + ".There";
  }

  private static String breaking(Boundary row, int index) {
    return "io.csi4j.here.Row%dBreak%d".formatted(Boundary.TABLE.indexOf(row), index);
  }

  private static String allowed(Boundary row, int index) {
    return Boundary.classIn(
        row.allowed().get(index), "Row%dAllowed%d".formatted(Boundary.TABLE.indexOf(row), index));
  }

  /** The classes that break a row. */
  JavaClasses breaking(Boundary row) {
    return named(
        IntStream.range(0, row.forbidden().size()).mapToObj(i -> breaking(row, i)).toList());
  }

  /** What the rule of a row has to say of them. */
  List<String> broken(Boundary row) {
    return IntStream.range(0, row.forbidden().size())
        .mapToObj(i -> "Field <%s.there> has type <%s>".formatted(breaking(row, i), there(row, i)))
        .toList();
  }

  /** The classes in the allowed parts of a row that import the first package that it forbids. */
  JavaClasses allowed(Boundary row) {
    return named(IntStream.range(0, row.allowed().size()).mapToObj(i -> allowed(row, i)).toList());
  }

  private JavaClasses named(List<String> names) {
    return classes.that(
        DescribedPredicate.describe(
            "one of " + names, (JavaClass type) -> names.contains(type.getName())));
  }
}
