package io.csi4j.conformance.model;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A duty of a plugin or an orchestrator, and the test whether it is kept. Only the suites implement
 * this interface.
 *
 * @since 1.0
 */
public interface ConformanceCase {

  /**
   * Returns the name, such as {@code controller/create/without-a-name-is-refused}; unique, and
   * stable across releases.
   */
  String name();

  /**
   * Returns the rule of the spec, paraphrased, with its MUST, SHOULD or MAY; empty if the case is
   * about an orchestrator, which the referee judges by many rules.
   */
  default String sentence() {
    return "";
  }

  /** Returns the expectation, as a sentence. */
  String expectation();

  /** Returns the heading of the section that contains the rule, if there is one. */
  default String place() {
    return "";
  }

  /** Returns what the plugin or host must offer for the case; empty if the case applies to all. */
  default List<String> needs() {
    return List.of();
  }

  /** Returns the first part of the name: {@code controller}. */
  default String group() {
    return name().substring(0, name().indexOf('/'));
  }

  /**
   * Returns a predicate for cases whose names match {@code pattern}, in which {@code *} stands for
   * any text: {@code node/*}.
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
