package io.csi4j.conformance.model;

import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.testkit.Referee;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Results of scenarios as text for people: what matters, in a few lines for each. */
final class ScenarioText {

  private static final int LAST_LINES = 40;
  private static final int LINE_LIMIT = 240;

  private ScenarioText() {}

  /** One scenario with all that belongs to it. */
  static String story(ScenarioResult result) {
    StringBuilder out = new StringBuilder();
    out.append(result.scenario().name())
        .append(result.passed() ? " passed." : " failed.")
        .append("\n  expected: ")
        .append(result.scenario().expectation());
    result.problems().forEach(problem -> out.append("\n  problem: ").append(problem));
    duties(out, "broken duty ", result.breaches());
    duties(out, "advice on duty ", result.advice());
    if (!result.passed()) {
      journal(out, result.journal().strip().lines().toList());
    }
    return out.toString();
  }

  private static void duties(StringBuilder out, String title, List<Breach> breaches) {
    Map<DutyId, List<Breach>> byDuty = new TreeMap<>();
    for (Breach breach : breaches) {
      byDuty.computeIfAbsent(breach.duty(), duty -> new ArrayList<>()).add(breach);
    }
    byDuty.forEach((duty, all) -> duty(out, title, duty, all));
  }

  /** A duty with the first time that it was broken, and how often it was. */
  private static void duty(StringBuilder out, String title, DutyId duty, List<Breach> breaches) {
    Breach first = breaches.get(0);
    out.append("\n  ")
        .append(title)
        .append(duty)
        .append(breaches.size() == 1 ? "" : ", " + breaches.size() + " times")
        .append(": ")
        .append(text(duty))
        .append("\n    ")
        .append(breaches.size() == 1 ? "" : "first: ")
        .append(first.story());
    first.calls().forEach(call -> out.append("\n    ").append(call));
  }

  /** The last lines of a journal, none too long. */
  private static void journal(StringBuilder out, List<String> lines) {
    int hidden = Math.max(0, lines.size() - LAST_LINES);
    out.append("\n  what the plugin saw")
        .append(hidden == 0 ? "" : ", but for the first " + hidden + " lines")
        .append(":");
    for (String line : lines.subList(hidden, lines.size())) {
      out.append("\n    ")
          .append(line.length() <= LINE_LIMIT ? line : line.substring(0, LINE_LIMIT) + "…");
    }
  }

  /** A whole run. */
  static String report(OrchestratorReport report) {
    StringBuilder out = new StringBuilder();
    for (ScenarioResult each : report.results()) {
      out.append(each.passed() ? "passed  " : "FAILED  ")
          .append(each.scenario().name())
          .append(" (")
          .append(each.took().toMillis())
          .append(" ms)")
          .append(each.broken().isEmpty() ? "" : " " + each.broken())
          .append(each.advised().isEmpty() ? "" : " advice " + each.advised())
          .append('\n');
    }
    out.append(report.results().size())
        .append(" scenarios, ")
        .append(report.failed().size())
        .append(" failed\n");
    report.failed().forEach(each -> out.append('\n').append(story(each)).append('\n'));
    return out.toString();
  }

  /** A whole run as JUnit's runners write it. */
  static String junitXml(OrchestratorReport report) {
    return new ConformanceReport(
            "an orchestrator", report.results().stream().map(ScenarioText::asCase).toList())
        .junitXml();
  }

  private static CaseResult asCase(ScenarioResult result) {
    OrchestratorScenario scenario = result.scenario();
    ConformanceCase about = new ReportedCase(scenario.name(), scenario.expectation());
    return result.passed()
        ? new CaseResult(about, Outcome.PASSED, "", List.of(), result.took())
        : new CaseResult(about, Outcome.FAILED, story(result), List.of(), result.took());
  }

  private static String text(DutyId id) {
    return Referee.duties().stream()
        .filter(duty -> duty.id().equals(id))
        .map(Duty::text)
        .findFirst()
        .orElse("");
  }
}
