package io.csi4j.conformance.model;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * One duty of a plugin or an orchestrator, and how to find out whether it is kept. The suites alone
 * implement it.
 *
 * @since 1.0
 */
public interface ConformanceCase {

  /** Its name, such as {@code controller/create/without-a-name-is-refused}; unique, and lasting. */
  String name();

  /**
   * Returns what the spec says, in our own words, with its MUST, SHOULD or MAY; empty if the case
   * is about an orchestrator, which the referee judges by many sentences.
   */
  default String sentence() {
    return "";
  }

  /** Returns the expectation, as a sentence. */
  String expectation();

  /** Returns the heading of the section with that sentence, if there is one. */
  default String place() {
    return "";
  }

  /** Returns what the plugin or host has to offer for it; empty if it is asked of every one. */
  default List<String> needs() {
    return List.of();
  }

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
