package io.csi4j.conformance.model;

import java.util.List;

/**
 * How an orchestrator did in a run of the suite.
 *
 * @param results of each scenario, in the order in which they ran
 * @since 1.0
 */
public record OrchestratorReport(List<ScenarioResult> results) {

  /** Copies the list. */
  public OrchestratorReport {
    results = List.copyOf(results);
  }

  /** The results of the scenarios that did not come out as expected. */
  public List<ScenarioResult> failed() {
    return results.stream().filter(result -> !result.passed()).toList();
  }

  /** Whether every scenario came out as expected. */
  public boolean passed() {
    return failed().isEmpty();
  }

  /** The report for people: a line for each scenario, the stories of those that failed. */
  public String describe() {
    return ScenarioText.report(this);
  }

  /** The report for machines: a document of the form that JUnit's runners write. */
  public String junitXml() {
    return ScenarioText.junitXml(this);
  }

  /** Returns the text of {@link #describe}. */
  @Override
  public String toString() {
    return describe();
  }
}
