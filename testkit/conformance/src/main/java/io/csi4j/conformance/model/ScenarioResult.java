package io.csi4j.conformance.model;

import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * How an orchestrator did in one scenario.
 *
 * @param scenario which
 * @param problems what did not come out as expected, a line each
 * @param breaches the duties that it broke on the way, with the calls that show it
 * @param journal every call that the plugin got, a line each, redacted
 * @param took how long it ran
 */
public record ScenarioResult(
    OrchestratorScenario scenario,
    List<String> problems,
    List<Breach> breaches,
    String journal,
    Duration took) {

  /** Copies the lists. */
  public ScenarioResult {
    problems = List.copyOf(problems);
    breaches = List.copyOf(breaches);
  }

  /** Whether it came out as expected, and no duty was broken. */
  public boolean passed() {
    return problems.isEmpty() && breaches.isEmpty();
  }

  /** The numbers of the duties that were broken. */
  public Set<DutyId> broken() {
    Set<DutyId> all = new TreeSet<>();
    breaches.forEach(breach -> all.add(breach.duty()));
    return all;
  }

  /**
   * The story for a person: what was expected, what went wrong, each broken duty once with how
   * often and with the calls that show it first, and the end of the journal.
   */
  public String describe() {
    return ScenarioText.story(this);
  }

  /** Returns the text of {@link #describe}. */
  @Override
  public String toString() {
    return describe();
  }
}
