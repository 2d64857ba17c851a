package io.csi4j.conformance.model;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * One thing that a plugin owes its callers, and how to find out whether it does it. The suite alone
 * implements it.
 *
 * @since 1.0
 */
public interface ConformanceCase {

  /** Its name, such as {@code controller/create/without-a-name-is-refused}; unique, and lasting. */
  String name();

  /** Returns what the spec says, in our own words, with its MUST, SHOULD or MAY. */
  String sentence();

  /** Returns the expectation, as a sentence. */
  String expectation();

  /** Where the spec says so: the heading of the section. */
  String place();

  /** Returns what the plugin has to offer for it, in words; empty if every plugin owes it. */
  List<String> needs();

  /** The lines of the spec with the rows of error tables that it is about. */
  Set<Integer> errorRows();

  /** The first part of its name: {@code controller}. */
  default String group() {
    return name().substring(0, name().indexOf('/'));
  }

  /**
   * Whether the name of a case fits {@code pattern}, in which {@code *} stands for any text: {@code
   * node/*}.
   */
  static Predicate<ConformanceCase> named(String pattern) {
    StringBuilder regex = new StringBuilder();
    String separator = "";
    for (String part : pattern.split("\\*", -1)) {
      regex.append(separator).append(Pattern.quote(part));
      separator = ".*";
    }
    Predicate<String> fits = Pattern.compile(regex.toString()).asMatchPredicate();
    return each -> fits.test(each.name());
  }
}
