package io.csi4j.conformance.model;

import io.csi4j.conformance.model.CaseResult.Outcome;
import java.util.List;

/**
 * How a plugin did.
 *
 * @param plugin which plugin, in words
 * @param results of each case, in the order in which they ran
 * @since 1.0
 */
public record ConformanceReport(String plugin, List<CaseResult> results) {

  /** Copies the list. */
  public ConformanceReport {
    results = List.copyOf(results);
  }

  /** How many cases ended so. */
  public int count(Outcome outcome) {
    return results(outcome).size();
  }

  /** The cases that ended so. */
  public List<CaseResult> results(Outcome outcome) {
    return results.stream().filter(each -> each.outcome() == outcome).toList();
  }

  /** Whether no case failed, and nothing was left behind. */
  public boolean clean() {
    return results.stream().allMatch(CaseResult::clean);
  }

  /** The report for people: a table by service, the stories, the counts. */
  public String text() {
    return ReportText.table(this);
  }

  /** The report for machines: a document of the form that JUnit's runners write. */
  public String junitXml() {
    return ReportText.junitXml(this);
  }
}
