package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import io.csi4j.testkit.referee.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs scenarios. Each run of a scenario starts with a new plugin, and ends with the verdict. Safe
 * for use by any number of threads.
 */
public final class ScenarioRun implements ConformanceRun {

  /**
   * The duty to validate a pre-provisioned volume. It does not apply, because the volumes of the
   * scenarios are already registered.
   */
  private static final DutyId VALIDATE = DutyId.of(261);

  private static final Set<DutyId> ONE_CALL_AT_A_TIME = Set.of(DutyId.of(49), DutyId.of(50));

  private final OrchestratorUnderTest.Factory factory;
  private final Duration callDeadline;
  private final Duration patience;
  private volatile boolean stopped;

  /** Creates a run. The factory starts a new orchestrator for each scenario. */
  public ScenarioRun(
      OrchestratorUnderTest.Factory factory, Duration callDeadline, Duration patience) {
    this.factory = factory;
    this.callDeadline = callDeadline;
    this.patience = patience;
  }

  @Override
  public String subject() {
    return "an orchestrator";
  }

  @Override
  public CaseResult run(ConformanceCase which) {
    if (!(which instanceof Scenario scenario)) {
      throw new IllegalArgumentException(
          "'"
              + which.name()
              + "' is not a scenario of this suite. Choose one of"
              + " OrchestratorConformance.cases().");
    }
    if (stopped) {
      String why = "the run was stopped";
      return new CaseResult(
          scenario, Outcome.NOT_RUN, List.of(why), why, List.of(), List.of(), Duration.ZERO);
    }
    long began = System.nanoTime();
    Path directory = newDirectory();
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(scenario.shape());
        OrchestratorThreads workers = new OrchestratorThreads(patience)) {
      List<String> problems = new ArrayList<>();
      OrchestratorSetting setting =
          new OrchestratorSetting(
              plugin.endpoint(),
              plugin.nodeEndpoint(),
              directory,
              callDeadline,
              (volume, operation) -> secretsFor(operation),
              plugin.shape().has(Quirk.WORKLOAD_FACTS_TAKEN));
      long crash = play(scenario, setting, plugin, workers, problems);
      Verdict verdict = plugin.verdict();
      Map<Boolean, List<Breach>> breaches =
          verdict.breaches().stream()
              .filter(breach -> !isExcused(breach, crash))
              .collect(
                  Collectors.partitioningBy(breach -> verdict.advice().contains(breach.duty())));
      return ScenarioStory.result(
          scenario,
          problems,
          breaches.getOrDefault(false, List.of()),
          breaches.getOrDefault(true, List.of()),
          plugin.journal().describe().strip().lines().toList(),
          Duration.ofNanos(System.nanoTime() - began));
    } finally {
      remove(directory);
    }
  }

  @Override
  public void stop() {
    stopped = true;
  }

  /** Does nothing, because the plugin and the directory of a scenario are removed at its end. */
  @Override
  public Map<CaseResult, CaseResult> cleanUpAgain() {
    return Map.of();
  }

  @Override
  public void close() {}

  /**
   * Runs the scenario, and returns the number of the last call before the orchestrator crashed; 0
   * if it did not crash.
   */
  private long play(
      Scenario scenario,
      OrchestratorSetting setting,
      FakeCsiPlugin plugin,
      OrchestratorThreads workers,
      List<String> problems) {
    long crash = 0;
    try {
      RunningOrchestrator orchestrator = new RunningOrchestrator(factory, setting);
      OrchestratorReply<Boolean> started =
          workers.answer("The start of the orchestrator", workers.perform(orchestrator::start));
      if (started.value().isEmpty()) {
        problems.add(
            "The orchestrator did not start: "
                + SafeText.escape(started.failure().orElseThrow().toString()));
        return 0;
      }
      Play play = new Play(plugin, orchestrator, workers, patience);
      try {
        scenario.steps().accept(play);
        play.cleanUp();
      } finally {
        problems.addAll(play.problems());
        crash = play.callsBeforeCrash();
        close(orchestrator, workers, problems);
      }
    } catch (StuckException e) {
      problems.add(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      problems.add("The scenario itself failed: " + SafeText.escape(e.toString()));
    }
    return crash;
  }

  private static void close(
      RunningOrchestrator orchestrator, OrchestratorThreads workers, List<String> problems) {
    OrchestratorReply<Boolean> closed =
        workers.answer("The end of the orchestrator", workers.perform(orchestrator::close));
    closed
        .failure()
        .ifPresent(
            failure ->
                problems.add(
                    "The orchestrator failed to end: " + SafeText.escape(failure.toString())));
  }

  /**
   * Returns whether the report omits a breach.
   *
   * @param crash the number of the last call that arrived before the orchestrator crashed; 0 if it
   *     did not crash
   */
  static boolean isExcused(Breach breach, long crash) {
    return breach.duty().equals(VALIDATE) || isAcrossCrash(breach, crash);
  }

  /**
   * After a crash, a restarted caller cannot know which of its earlier calls are still in flight.
   * So a breach is excused if calls from before and after the crash overlap.
   */
  private static boolean isAcrossCrash(Breach breach, long crash) {
    List<Long> numbers = breach.calls().stream().map(RecordedCall::number).toList();
    return ONE_CALL_AT_A_TIME.contains(breach.duty())
        && numbers.stream().anyMatch(number -> number <= crash)
        && numbers.stream().anyMatch(number -> number > crash);
  }

  /**
   * Returns the secrets for an operation. Attaching and detaching have the same secrets, and every
   * other operation has different secrets.
   */
  static Secrets secretsFor(CsiOperation operation) {
    return switch (operation) {
      case CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME ->
          Secrets.of(Map.of("attach.key", "csi4j-hidden-attach"));
      case NODE_STAGE_VOLUME -> Secrets.of(Map.of("stage.key", "csi4j-hidden-stage"));
      case NODE_PUBLISH_VOLUME -> Secrets.of(Map.of("publish.key", "csi4j-hidden-publish"));
      default -> Secrets.empty();
    };
  }

  private static Path newDirectory() {
    try {
      return Files.createTempDirectory("csi4j-o");
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Making a directory for an orchestrator under test failed: " + e.getMessage(), e);
    }
  }

  /**
   * Removes the files that the orchestrator left in its directory. This is safe, because the fake
   * plugin mounts nothing there.
   */
  private static void remove(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Removing " + directory + " failed: " + e.getMessage() + ". Remove it by hand.", e);
    }
  }
}
