package io.csi4j.conformance;

import io.csi4j.conformance.internal.orchestrator.ScenarioRun;
import io.csi4j.conformance.internal.orchestrator.Scenarios;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * The conformance suite for orchestrators. It runs an orchestrator through scenarios with mounts,
 * restarts, lost answers and refusals. Each scenario has its own plugin, which records all calls.
 * The suite judges the orchestrator by these calls.
 *
 * <p>{@code OrchestratorConformance.create().run(factory, ConformanceListener.none())} is enough.
 * Objects of this class are immutable; each {@code with} method returns a changed copy.
 *
 * @since 1.0
 */
public final class OrchestratorConformance {

  private final Duration callDeadline;
  private final Duration patience;
  private final List<ConformanceCase> chosen;

  private OrchestratorConformance(
      Duration callDeadline, Duration patience, List<ConformanceCase> chosen) {
    this.callDeadline = positive("call deadline", callDeadline);
    this.patience = positive("patience", patience);
    this.chosen = List.copyOf(chosen);
  }

  /**
   * Returns the complete suite, with a call deadline of one second and a patience of one minute.
   */
  public static OrchestratorConformance create() {
    return new OrchestratorConformance(Duration.ofSeconds(1), Duration.ofMinutes(1), cases());
  }

  /**
   * Returns the suite for hosts that use only the node service, with the settings of {@link
   * #create}. Its plugins have no controller, and it has no scenarios for attaching.
   */
  public static OrchestratorConformance nodeOnly() {
    return new OrchestratorConformance(
        Duration.ofSeconds(1), Duration.ofMinutes(1), List.copyOf(Scenarios.onNode()));
  }

  /** Returns all scenarios, in the order in which they run. */
  public static List<ConformanceCase> cases() {
    return List.copyOf(Scenarios.all());
  }

  /**
   * Returns the suite with another call deadline. Orchestrators receive the deadline in their
   * setting.
   */
  public OrchestratorConformance withCallDeadline(Duration deadline) {
    return new OrchestratorConformance(deadline, patience, chosen);
  }

  /**
   * Returns the suite with another patience. If a step of a scenario takes longer than this time,
   * the orchestrator counts as hanging. The time must be several times the orchestrator's limit for
   * a mount with all its retries. At the end of a scenario, an orchestrator that has not released
   * all volumes counts as finished when no call has arrived for a quarter of this time.
   */
  public OrchestratorConformance withPatience(Duration time) {
    return new OrchestratorConformance(callDeadline, time, chosen);
  }

  /** Returns the suite with only the matching scenarios, such as {@code named("mount/*")}. */
  public OrchestratorConformance only(Predicate<ConformanceCase> which) {
    return new OrchestratorConformance(
        callDeadline, patience, chosen.stream().filter(which).toList());
  }

  /** Returns the scenarios that the suite runs. */
  public List<ConformanceCase> chosen() {
    return chosen;
  }

  /** Runs the scenarios one after the other, each with a new orchestrator and a new plugin. */
  public ConformanceReport run(
      OrchestratorUnderTest.Factory factory, ConformanceListener listener) {
    try (ConformanceRun run = open(factory)) {
      return run.run(chosen(), listener);
    }
  }

  /**
   * Opens a run in which the caller starts each scenario, for use by a test framework. Several
   * threads may run scenarios concurrently, if the machine has the capacity.
   */
  public ConformanceRun open(OrchestratorUnderTest.Factory factory) {
    return new ScenarioRun(factory, callDeadline, patience);
  }

  private static Duration positive(String what, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + time + ".");
    }
    return time;
  }
}
