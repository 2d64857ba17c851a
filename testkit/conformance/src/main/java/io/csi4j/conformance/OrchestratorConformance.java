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
 * The conformance suite for orchestrators: puts one through mounts, restarts, lost answers and
 * refusals, each time with a plugin of its own that looks on, and judges it by what the plugin saw.
 *
 * <p>{@code OrchestratorConformance.create().run(factory, ConformanceListener.none())} is enough.
 * Immutable; each {@code with} method gives another one.
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

  /** The whole suite, with calls that may take 1 second, and a minute of patience. */
  public static OrchestratorConformance create() {
    return new OrchestratorConformance(Duration.ofSeconds(1), Duration.ofMinutes(1), cases());
  }

  /**
   * The suite for hosts that have a node and no controller, with the settings of {@link #create}:
   * no plugin in it has a controller, and scenarios about attaching are left out.
   */
  public static OrchestratorConformance nodeOnly() {
    return new OrchestratorConformance(
        Duration.ofSeconds(1), Duration.ofMinutes(1), List.copyOf(Scenarios.onNode()));
  }

  /** Every scenario there is, in the order in which they run. */
  public static List<ConformanceCase> cases() {
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

  /** Returns the suite with those of its scenarios that fit, as {@code named("mount/*")}. */
  public OrchestratorConformance only(Predicate<ConformanceCase> which) {
    return new OrchestratorConformance(
        callDeadline, patience, chosen.stream().filter(which).toList());
  }

  /** The scenarios that it runs. */
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
   * A run in which each scenario is started by the caller, as test frameworks need it; by several
   * threads at a time, if the machine can take it.
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
