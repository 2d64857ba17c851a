package io.csi4j.conformance.internal.plugin;

import io.csi4j.conformance.model.ConformanceCase;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A case of the suite: a row of {@code cases.tsv}, and its steps.
 *
 * @param strength how binding it is
 * @param requirements what it needs
 * @param errorRows the rows of error tables that it is about, by their lines in the spec
 * @param sentence what the spec says, in our own words
 * @param steps what it does; returns if the plugin did as expected
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

  /** How binding a case is for a plugin. */
  public enum Strength {
    /** A plugin that does otherwise fails the case. */
    MUST,
    /** A plugin that does otherwise is advised against it. */
    SHOULD,
    /** The plugin may do either; only a third way earns it advice. */
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
