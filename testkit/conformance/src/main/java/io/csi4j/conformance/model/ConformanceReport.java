package io.csi4j.conformance.model;

import io.csi4j.conformance.model.CaseResult.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * The results of a suite for one plugin or one orchestrator.
 *
 * @param subject the name of the plugin or orchestrator
 * @param results the results of the cases, in the order in which they ran
 * @since 1.0
 */
public record ConformanceReport(String subject, List<CaseResult> results) {

  /** Copies the list. */
  public ConformanceReport {
    results = List.copyOf(results);
  }

  /** Returns the number of cases with this outcome. */
  public int count(Outcome outcome) {
    return results(outcome).size();
  }

  /** Returns the results with this outcome. */
  public List<CaseResult> results(Outcome outcome) {
    return results.stream().filter(each -> each.outcome() == outcome).toList();
  }

  /** Returns whether no case failed, all cases ran, and no case left objects behind. */
  public boolean clean() {
    return results.stream().allMatch(CaseResult::clean);
  }

  /**
   * Returns the first result before {@code result} that has the same outcome and all of its causes;
   * empty if there is no such result.
   */
  public Optional<CaseResult> firstLike(CaseResult result) {
    return CauseGroup.firstLike(result, results);
  }

  /**
   * Returns the report as text, with a table of the counts. Each cause appears once, with the
   * details of its first case and the names of its other cases.
   */
  public String text() {
    return ReportText.text(this);
  }

  /** Returns the summary as text: a line for each cause, and a table with the counts. */
  public String summary() {
    return ReportText.summary(this);
  }

  /** Returns the report as XML, in the format of JUnit's runners. */
  public String junitXml() {
    return ReportText.junitXml(this);
  }

  /** Returns the {@linkplain #text() report as text}. */
  @Override
  public String toString() {
    return text();
  }
}
