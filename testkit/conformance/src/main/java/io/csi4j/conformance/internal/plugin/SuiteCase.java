package io.csi4j.conformance.internal.plugin;

import io.csi4j.conformance.model.ConformanceCase;
import java.util.List;
import java.util.Set;

/**
 * A case of the suite.
 *
 * @param requirements what it needs
 * @param body what it does
 */
public record SuiteCase(
    String name,
    String expectation,
    String place,
    List<Need> requirements,
    Set<Integer> errorRows,
    Body body)
    implements ConformanceCase {

  /** Copies the collections. */
  public SuiteCase {
    requirements = List.copyOf(requirements);
    errorRows = Set.copyOf(errorRows);
  }

  @Override
  public List<String> needs() {
    return requirements.stream().map(Need::words).toList();
  }

  /** Returns the case, also about these rows of error tables, by their lines in the spec. */
  SuiteCase rows(Integer... lines) {
    return new SuiteCase(name, expectation, place, requirements, Set.of(lines), body);
  }

  @Override
  public String toString() {
    return name;
  }

  /** The work of a case: returns if the plugin did as expected. */
  @FunctionalInterface
  public interface Body {
    /** Runs against a plugin. */
    void run(Trial trial) throws CaseEndedException;
  }
}
