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
 * @param advice what it did against duties that are not binding; it fails nothing
 * @param journal every call that the plugin got, a line each, redacted
 * @param took how long it ran
 * @since 1.0
 */
public record ScenarioResult(
    OrchestratorScenario scenario,
    List<String> problems,
    List<Breach> breaches,
    List<Breach> advice,
    String journal,
    Duration took) {

  /** Copies the lists. */
  public ScenarioResult {
    problems = List.copyOf(problems);
    breaches = List.copyOf(breaches);
    advice = List.copyOf(advice);
  }

  /** Whether it came out as expected, and no binding duty was broken. */
  public boolean passed() {
    return problems.isEmpty() && breaches.isEmpty();
  }

  /** The numbers of the binding duties that were broken. */
  public Set<DutyId> broken() {
    return duties(breaches);
  }

  /** The numbers of the duties that there is advice about. */
  public Set<DutyId> advised() {
    return duties(advice);
  }

  private static Set<DutyId> duties(List<Breach> breaches) {
    Set<DutyId> all = new TreeSet<>();
    breaches.forEach(breach -> all.add(breach.duty()));
    return all;
  }

  /**
   * The story for a person: what was expected, what went wrong, each broken duty and each advice
   * once with how often and with the calls that show it first, and the end of the journal.
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
