package io.csi4j.conformance.model;

import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.testkit.Referee;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import java.util.List;

/** Results of scenarios as text for people. */
final class ScenarioText {

  private ScenarioText() {}

  /** One scenario with all that belongs to it. */
  static String story(ScenarioResult result) {
    StringBuilder out = new StringBuilder();
    out.append(result.scenario().name())
        .append(result.passed() ? " passed." : " failed.")
        .append("\n  expected: ")
        .append(result.scenario().expectation());
    result.problems().forEach(problem -> out.append("\n  problem: ").append(problem));
    for (Breach breach : result.breaches()) {
      out.append("\n  broken duty ")
          .append(breach.duty())
          .append(": ")
          .append(text(breach.duty()))
          .append("\n    ")
          .append(breach.story());
      breach
          .calls()
          .forEach(
              call ->
                  out.append("\n    call ")
                      .append(call.number())
                      .append(": ")
                      .append(call.request()));
    }
    if (!result.passed()) {
      out.append("\n  what the plugin saw:\n    ")
          .append(result.journal().strip().replace("\n", "\n    "));
    }
    return out.toString();
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
