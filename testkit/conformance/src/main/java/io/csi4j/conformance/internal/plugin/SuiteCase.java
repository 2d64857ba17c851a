package io.csi4j.conformance.internal.plugin;

import io.csi4j.conformance.model.ConformanceCase;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A case of the suite: a row of {@code cases.tsv} with its steps.
 *
 * @param strength the strength of the rule
 * @param requirements the requirements of the case
 * @param errorRows the rows of error tables that the case tests, as line numbers of the spec
 * @param sentence the rule of the spec, paraphrased
 * @param steps the steps; they return normally if the plugin behaved as expected
 */
public record SuiteCase(
    String name,
    Strength strength,
    String place,
    List<Need> requirements,
    Set<Integer> errorRows,
    String sentence,
    String expectation,
    Consumer<Trial> steps)
    implements ConformanceCase {

  /** The strength of a rule for a plugin. */
  public enum Strength {
    /** A plugin that behaves differently fails the case. */
    MUST,
    /** A plugin that behaves differently gets advice. */
    SHOULD,
    /** The spec allows several behaviours. A plugin that shows any other behaviour gets advice. */
    MAY
  }

  /** Copies the collections. */
  public SuiteCase {
    requirements = List.copyOf(requirements);
    errorRows = Set.copyOf(errorRows);
  }

  @Override
  public List<String> needs() {
    return requirements.stream().map(Need::words).toList();
  }

  @Override
  public String toString() {
    return name;
  }
}
