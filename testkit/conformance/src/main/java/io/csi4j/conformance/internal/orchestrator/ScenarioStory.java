package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.testkit.Referee;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.Duty;
import io.csi4j.testkit.referee.DutyId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Describes the result of a scenario in a few lines of text. */
final class ScenarioStory {

  private static final int LAST_LINES = 40;
  private static final int LINE_LIMIT = 240;
  private static final String BROKEN = "broken duty ";
  private static final String ADVICE = "advice on duty ";

  private ScenarioStory() {}

  /**
   * Returns the result of a scenario.
   *
   * @param problems the unmet expectations, one line each
   * @param breaches the breaches of binding duties, with the calls that prove them
   * @param advice the breaches of duties that are not binding, which do not fail the scenario
   * @param calls every call that the plugin received, one redacted line each
   */
  static CaseResult result(
      Scenario scenario,
      List<String> problems,
      List<Breach> breaches,
      List<Breach> advice,
      List<String> calls,
      Duration took) {
    boolean failed = !problems.isEmpty() || !breaches.isEmpty();
    Outcome outcome = failed ? Outcome.FAILED : advice.isEmpty() ? Outcome.PASSED : Outcome.ADVICE;
    List<String> causes = new ArrayList<>(problems);
    byDuty(failed ? breaches : advice)
        .keySet()
        .forEach(duty -> causes.add((failed ? BROKEN : ADVICE) + duty + ": " + text(duty)));
    StringBuilder story = new StringBuilder();
    if (outcome != Outcome.PASSED) {
      story.append("expected: ").append(scenario.expectation());
      problems.forEach(problem -> story.append("\nproblem: ").append(problem));
      byDuty(breaches).forEach((duty, all) -> duty(story, BROKEN, duty, all));
      byDuty(advice).forEach((duty, all) -> duty(story, ADVICE, duty, all));
    }
    if (failed) {
      journal(story, calls);
    }
    return new CaseResult(scenario, outcome, causes, story.toString(), calls, List.of(), took);
  }

  private static Map<DutyId, List<Breach>> byDuty(List<Breach> breaches) {
    return breaches.stream()
        .collect(Collectors.groupingBy(Breach::duty, TreeMap::new, Collectors.toList()));
  }

  /** Describes a duty with its first breach, and the number of breaches. */
  private static void duty(StringBuilder out, String title, DutyId duty, List<Breach> breaches) {
    Breach first = breaches.get(0);
    out.append('\n')
        .append(title)
        .append(duty)
        .append(breaches.size() == 1 ? "" : ", " + breaches.size() + " times")
        .append(": ")
        .append(text(duty))
        .append("\n  ")
        .append(breaches.size() == 1 ? "" : "first: ")
        .append(first.story());
    first.calls().forEach(call -> out.append("\n  ").append(call));
  }

  /** Appends the last lines of a journal, each cut to a maximum length. */
  private static void journal(StringBuilder out, List<String> lines) {
    int hidden = Math.max(0, lines.size() - LAST_LINES);
    out.append("\nwhat the plugin saw")
        .append(hidden == 0 ? "" : ", without the first " + hidden + " lines")
        .append(":");
    for (String line : lines.subList(hidden, lines.size())) {
      out.append("\n  ")
          .append(line.length() <= LINE_LIMIT ? line : line.substring(0, LINE_LIMIT) + "…");
    }
  }

  private static String text(DutyId id) {
    return Referee.duties().stream()
        .filter(duty -> duty.id().equals(id))
        .map(Duty::text)
        .findFirst()
        .orElse("");
  }
}
