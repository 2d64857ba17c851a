package io.csi4j.conformance.model;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A duty of a plugin or an orchestrator, with a test of that duty. Only the suites implement this
 * interface.
 *
 * @since 1.0
 */
public interface ConformanceCase {

  /**
   * Returns the name, such as {@code controller/create/without-a-name-is-refused}. The name is
   * unique, and does not change between releases.
   */
  String name();

  /**
   * Returns the rule of the spec, paraphrased, with its MUST, SHOULD or MAY. Empty for an
   * orchestrator's case, because the referee judges the calls of an orchestrator by many rules.
   */
  default String sentence() {
    return "";
  }

  /** Returns the expected behaviour, as a sentence. */
  String expectation();

  /**
   * Returns the heading of the section of the spec that contains the rule; empty if the case tests
   * no single rule.
   */
  default String place() {
    return "";
  }

  /**
   * Returns the features that the plugin or host must offer for the case; empty if the case applies
   * to all plugins or hosts.
   */
  default List<String> needs() {
    return List.of();
  }

  /** Returns the name up to the first slash, such as {@code controller}. */
  default String group() {
    return name().substring(0, name().indexOf('/'));
  }

  /**
   * Returns a predicate for cases whose names match {@code pattern}, such as {@code node/*}. In a
   * pattern, {@code *} matches any text.
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
