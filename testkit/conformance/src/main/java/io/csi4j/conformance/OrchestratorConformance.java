package io.csi4j.conformance;

import io.csi4j.conformance.internal.orchestrator.ScenarioRun;
import io.csi4j.conformance.internal.orchestrator.Scenarios;
import io.csi4j.conformance.model.OrchestratorListener;
import io.csi4j.conformance.model.OrchestratorReport;
import io.csi4j.conformance.model.OrchestratorScenario;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.conformance.model.ScenarioResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The conformance suite for orchestrators: puts one through mounts, restarts, lost answers and
 * refusals, each time with a plugin of its own that looks on, and judges it by what the plugin saw.
 *
 * <p>{@code OrchestratorConformance.create().run(factory, OrchestratorListener.none())} is enough.
 * Immutable; each {@code with} method gives another one.
 *
 * @since 1.0
 */
public final class OrchestratorConformance {

  private final Duration callDeadline;
  private final Duration patience;
  private final Predicate<OrchestratorScenario> chosen;

  private OrchestratorConformance(
      Duration callDeadline, Duration patience, Predicate<OrchestratorScenario> chosen) {
    this.callDeadline = positive("call deadline", callDeadline);
    this.patience = positive("patience", patience);
    this.chosen = Objects.requireNonNull(chosen);
  }

  /** The whole suite, with calls that may take 1 second, and a minute of patience. */
  public static OrchestratorConformance create() {
    return new OrchestratorConformance(Duration.ofSeconds(1), Duration.ofMinutes(1), each -> true);
  }

  /** Every scenario there is, in the order in which they run. */
  public static List<OrchestratorScenario> scenarios() {
    return List.copyOf(Scenarios.all());
  }

  /** Returns the suite with another deadline that orchestrators are told to give a call. */
  public OrchestratorConformance withCallDeadline(Duration deadline) {
    return new OrchestratorConformance(deadline, patience, chosen);
  }

  /**
   * The same, waiting so long at each step of a scenario before the orchestrator is taken to hang.
   * Has to be several times what the orchestrator allows for a mount with all its retries. One that
   * leaves something behind is taken to be done when nothing came for a quarter of it.
   */
  public OrchestratorConformance withPatience(Duration time) {
    return new OrchestratorConformance(callDeadline, time, chosen);
  }

  /** Returns the suite with those of its scenarios that fit. */
  public OrchestratorConformance only(Predicate<OrchestratorScenario> which) {
    return new OrchestratorConformance(callDeadline, patience, chosen.and(which));
  }

  /** The scenarios that it runs. */
  public List<OrchestratorScenario> chosen() {
    return scenarios().stream().filter(chosen).toList();
  }

  /** Runs the scenarios one after the other, each with a new orchestrator and a new plugin. */
  public OrchestratorReport run(
      OrchestratorUnderTest.Factory factory, OrchestratorListener listener) {
    List<OrchestratorScenario> all = chosen();
    List<ScenarioResult> results = new ArrayList<>();
    for (OrchestratorScenario each : all) {
      listener.started(each, results.size() + 1, all.size());
      ScenarioResult result = run(each, factory);
      results.add(result);
      listener.ended(result);
    }
    return new OrchestratorReport(results);
  }

  /**
   * Runs one scenario. There is a result for any orchestrator.
   *
   * @throws IllegalArgumentException if the scenario is none of the suite
   */
  public ScenarioResult run(OrchestratorScenario scenario, OrchestratorUnderTest.Factory factory) {
    return ScenarioRun.of(scenario, factory, callDeadline, patience);
  }

  private static Duration positive(String what, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + time + ".");
    }
    return time;
  }
}
