package io.csi4j.conformance.model;

import io.csi4j.conformance.model.CaseResult.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * How a plugin or an orchestrator did.
 *
 * @param subject which plugin or orchestrator, in words
 * @param results of each case, in the order in which they ran
 * @since 1.0
 */
public record ConformanceReport(String subject, List<CaseResult> results) {

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

  /** Whether no case failed, all were run, and nothing was left behind. */
  public boolean clean() {
    return results.stream().allMatch(CaseResult::clean);
  }

  /**
   * Returns the first case before {@code result} that ended as it did and has all of its causes;
   * empty if there is none.
   */
  public Optional<CaseResult> firstLike(CaseResult result) {
    return CauseGroup.firstLike(result, results);
  }

  /**
   * The report for people: each cause once, with the story of the first case that had it and the
   * names of the others, and a table with the counts.
   */
  public String text() {
    return ReportText.text(this);
  }

  /** The short report for people: a line for each cause, and a table with the counts. */
  public String summary() {
    return ReportText.summary(this);
  }

  /** The report for machines: a document of the form that JUnit's runners write. */
  public String junitXml() {
    return ReportText.junitXml(this);
  }

  /** Returns the {@linkplain #text() report for people}. */
  @Override
  public String toString() {
    return text();
  }
}
