package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.conformance.model.PluginUnderTest.Cleanup;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.proxy.CsiProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How a run goes, beyond what the cases say. */
class RunTest {

  private static final Pattern TAG = Pattern.compile("<(/?)([a-z-]+)(?: [^<>]*?)?(/?)>");
  private static final String STAGE_AGAIN = "node/stage/again-succeeds";

  /** A test waits for it, and on a busy machine every call but those that hang takes less. */
  private static final Duration A_MOMENT = Duration.ofMillis(1500);

  /** Loads the classes of the suite, which takes longer than a call. */
  @BeforeAll
  static void theSuiteIsLoaded() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      assertThat(run(PluginUnderTest.at(plugin.endpoint()), STAGE_AGAIN).clean()).isTrue();
    }
  }

  /** The result of the one case that is run, or of the first. */
  private static CaseResult resultOf(PluginUnderTest plugin, String pattern) {
    return run(plugin, pattern).results().get(0);
  }

  private static ConformanceReport run(PluginUnderTest plugin, String pattern) {
    return PluginConformance.run(
        plugin, ConformanceCase.named(pattern), ConformanceListener.none());
  }

  @Test
  void aCaseThatHangsEndsByItsDeadline() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      CaseResult result =
          resultOf(
              PluginUnderTest.builder(plugin.endpoint()).deadline(A_MOMENT).build(), STAGE_AGAIN);

      assertThat(result.outcome()).isEqualTo(Outcome.NOT_RUN);
      assertThat(result.story())
          .isEqualTo(
              "NodeStageVolume was not answered within 1.5 s. Check the plugin's log, or allow"
                  + " more time");
      plugin.release();
    }
  }

  @Test
  void aCallThatHungIsNotMadeAgain() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      ConformanceReport report =
          run(
              PluginUnderTest.builder(plugin.endpoint()).deadline(A_MOMENT).build(),
              "node/publish/*");

      assertThat(plugin.journal().calls(CsiOperation.NODE_STAGE_VOLUME)).hasSize(1);
      assertThat(report.results(Outcome.FAILED)).as(report.text()).isEmpty();
      assertThat(report.results(Outcome.NOT_RUN))
          .extracting(CaseResult::story)
          .filteredOn(
              story ->
                  story.equals(
                      "NodeStageVolume was not answered in time in the case"
                          + " node/publish/without-volume-id-is-refused, and is not called again"))
          .hasSizeGreaterThan(3);
      plugin.release();
    }
  }

  @Test
  void aStepBeforeTheTestedOneThatIsRefusedIsNoFailure() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no disk"), When.calling(CsiOperation.CREATE_VOLUME));
      ConformanceReport report = run(PluginUnderTest.at(plugin.endpoint()), "node/unpublish/*");

      assertThat(report.results(Outcome.FAILED)).as(report.text()).isEmpty();
      assertThat(report.results(Outcome.NOT_RUN)).hasSize(5);
      assertThat(report.clean()).isFalse();
      assertThat(report.text())
          .contains(
              "NOT RUN, because a preparing step failed. Expected: CreateVolume"
                  + " succeeds; got: INTERNAL (13): 'no disk':\n  node/unpublish/without-volume-id"
                  + "-is-refused\n");
    }
  }

  @Test
  void aPluginThatAsksForSecretsIsNotJudgedWithoutThem() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.UNAUTHENTICATED, "who are you?"),
          When.calling(CsiOperation.CREATE_VOLUME));
      ConformanceReport report =
          run(PluginUnderTest.at(plugin.endpoint()), "controller/create/a-volume-is-made");

      assertThat(report.results().get(0).outcome()).isEqualTo(Outcome.NOT_RUN);
      assertThat(report.results().get(0).story())
          .isEqualTo(
              "CreateVolume ended with UNAUTHENTICATED (16): 'who are you?'. Give the plugin the"
                  + " secrets that it requires");
    }
  }

  @Test
  void aPluginThatDiesIsSaidToHaveDiedInThatCallAndNothingIsRunAfterIt() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      ConformanceReport report;
      try (ConformanceRun run = PluginConformance.open(PluginUnderTest.at(plugin.endpoint()))) {
        List<CaseResult> results = new ArrayList<>();
        plugin.inject(Fault.hang(), When.calling(CsiOperation.PROBE));
        CompletableFuture<Void> death =
            CompletableFuture.runAsync(
                () -> {
                  var unused =
                      plugin
                          .journal()
                          .await(
                              call -> call.operation() == CsiOperation.PROBE,
                              Duration.ofSeconds(20));
                  plugin.stop();
                });
        for (ConformanceCase each : PluginConformance.cases()) {
          if (each.name().startsWith("identity/")) {
            results.add(run.run(each));
          }
        }
        death.join();
        report = new ConformanceReport("a plugin", results);
      }

      assertThat(report.results(Outcome.FAILED))
          .singleElement()
          .satisfies(
              result -> {
                assertThat(result.about().name()).isEqualTo("identity/probe/says-ready");
                assertThat(result.story())
                    .contains("expected: Probe ends with a status")
                    .contains("got:      the plugin died in this call: nothing listens on ");
              });
      assertThat(report.results(Outcome.NOT_RUN))
          .isNotEmpty()
          .extracting(CaseResult::story)
          .containsOnly(
              "the plugin died in the case identity/probe/says-ready, in Probe. Start it again, or"
                  + " give its command so that the suite does");
    }
  }

  /** Cases that come after the one in which the plugin died. */
  static Stream<Arguments> casesAndTheirOutcomes() {
    return Stream.of(
        Arguments.of("identity/probe/says-ready", Outcome.PASSED),
        Arguments.of("node/unstage/again-succeeds", Outcome.PASSED),
        Arguments.of("node/stats/tells-how-full-a-volume-is", Outcome.SKIPPED));
  }

  @ParameterizedTest
  @MethodSource("casesAndTheirOutcomes")
  void theCaseAfterADeathIsJudgedByThePluginThatTheSuiteHasStartedAgain(
      String next, Outcome outcome, @TempDir Path directory) throws Exception {
    Path started = directory.resolve("started");
    assertThat(new ProcessBuilder("mkfifo", started.toString()).start().waitFor()).isZero();
    PluginShape shape = PluginShape.full().without(NodeCapability.GET_VOLUME_STATS);
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open(shape)) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
      CompletableFuture<Void> deathAndRestart =
          CompletableFuture.runAsync(
              () -> {
                var unused =
                    plugin
                        .journal()
                        .await(
                            call -> call.operation() == CsiOperation.NODE_STAGE_VOLUME,
                            Duration.ofSeconds(20));
                plugin.stop();
                read(started);
                plugin.start();
              });
      PluginUnderTest described =
          PluginUnderTest.builder(plugin.endpoint())
              .command(List.of("/bin/sh", "-c", "echo started >" + started + "; exec sleep 60"))
              .build();
      try (ConformanceRun run = PluginConformance.open(described)) {
        CaseResult first = run.run(named(STAGE_AGAIN));
        assertThat(first.story()).contains("got:      the plugin died in this call: nothing");

        CaseResult second = run.run(named(next));

        assertThat(second.outcome()).as(second.story()).isEqualTo(outcome);
        assertThat(run.cleanUpAgain()).as("what the first case had made").hasSize(1);
      }
      deathAndRestart.join();
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  @Test
  void aPluginThatDiesAgainAtItsStartIsQuotedAndNoCaseIsFailedByIt() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      PluginUnderTest described =
          PluginUnderTest.builder(plugin.endpoint())
              .command(List.of("/bin/sh", "-c", "echo no storage; exit 9"))
              .build();
      try (ConformanceRun run = PluginConformance.open(described)) {
        assertThat(run.run(named("identity/probe/says-ready")).outcome()).isEqualTo(Outcome.PASSED);
        plugin.stop();
        assertThat(run.run(named(STAGE_AGAIN)).outcome()).isEqualTo(Outcome.FAILED);

        CaseResult after = run.run(named(STAGE_AGAIN));

        assertThat(after.outcome()).isEqualTo(Outcome.NOT_RUN);
        assertThat(after.story())
            .startsWith("nothing answers on " + plugin.endpoint() + ": ")
            .endsWith(
                """
                . Check that the plugin runs and listens on the socket. It ended with code 9. Its last lines:
                            | no storage\
                """);
      }
    }
  }

  private static void read(Path file) {
    try {
      assertThat(Files.readString(file)).isEqualTo("started\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anyValueIsASecretThatNobodySees() {
    for (String secret : List.of("a", "1", "=", "true", "%", "\\", "é", "hunter2-hunter2")) {
      try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
        ConformanceReport report =
            run(
                PluginUnderTest.builder(plugin.endpoint())
                    .secrets(Secrets.of(Map.of("password", secret)))
                    .build(),
                "snapshots/create/a-snapshot-is-made");

        assertThat(report.count(Outcome.PASSED)).as(secret + report.text()).isEqualTo(1);
      }
    }
  }

  @Test
  void aRunThatIsStoppedRunsNoFurtherCaseAndLeavesNothing() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        ConformanceRun run = PluginConformance.open(PluginUnderTest.at(plugin.endpoint()))) {
      ConformanceCase any = named(STAGE_AGAIN);
      assertThat(run.run(any).outcome()).isEqualTo(Outcome.PASSED);

      run.stop();
      CaseResult result = run.run(any);

      assertThat(result.outcome()).isEqualTo(Outcome.NOT_RUN);
      assertThat(result.story()).isEqualTo("the run was stopped");
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  @Test
  void aRunEndsWithItsBudget() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      ConformanceReport report =
          run(
              PluginUnderTest.builder(plugin.endpoint()).budget(Duration.ofNanos(1)).build(),
              "identity/*");

      assertThat(report.results())
          .isNotEmpty()
          .allSatisfy(
              result -> assertThat(result.story()).isEqualTo("the budget of 0 s was used up"));
    }
  }

  @Test
  void whatARunDidNotLiveToUndoIsUndoneByItsLedger(@TempDir Path directory) throws IOException {
    Path ledger = directory.resolve("ledger");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      PluginUnderTest described =
          PluginUnderTest.builder(plugin.endpoint())
              .secrets(Secrets.of(Map.of("password", "hunter2-hunter2")))
              .ledger(ledger)
              .build();
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.DELETE_VOLUME));
      ConformanceReport report = run(described, STAGE_AGAIN);
      assertThat(report.results().get(0).leftBehind()).hasSize(1);
      assertThat(Files.readString(ledger))
          .containsPattern("\nDeleteVolumeRequest volume_id: \"[^\"]+\"\n")
          .doesNotContain("hunter2");
      assertThat(plugin.contents().volumes()).hasSize(1);

      plugin.clearFaults();
      List<String> left = PluginConformance.cleanUpAfter(described);

      assertThat(left).isEmpty();
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.journal().calls(CsiOperation.DELETE_VOLUME))
          .last()
          .satisfies(
              call -> assertThat(call.request().map("secrets")).containsValue("hunter2-hunter2"));
      assertThat(ledger).doesNotExist();
    }
  }

  /** Lets nothing be written to a ledger any more, as if its disk were full. */
  private static Path obstruct(Path ledger) throws IOException {
    return Files.createDirectories(ledger.resolveSibling(ledger.getFileName() + ".next/in-use"));
  }

  private static ConformanceCase named(String name) {
    return PluginConformance.cases().stream()
        .filter(ConformanceCase.named(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRunWhoseLedgerCannotBeWrittenAnyMoreMakesNothingMoreAndKeepsTheLedger(
      @TempDir Path directory) throws IOException {
    Path ledger = directory.resolve("ledger");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      PluginUnderTest described = PluginUnderTest.builder(plugin.endpoint()).ledger(ledger).build();
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.DELETE_VOLUME));
      Path obstacle;
      try (ConformanceRun run = PluginConformance.open(described)) {
        assertThat(run.run(named(STAGE_AGAIN)).leftBehind()).hasSize(1);
        obstacle = obstruct(ledger);
        CaseResult result = run.run(named(STAGE_AGAIN));

        assertThat(result.outcome()).isEqualTo(Outcome.NOT_RUN);
        assertThat(result.story())
            .startsWith("the run cannot note in '" + ledger + "' what it creates: ")
            .endsWith(". Free disk space");
        assertThat(result.leftBehind()).isEmpty();
        assertThat(run.cleanUpAgain()).isEmpty();
      }
      assertThat(plugin.journal().calls(CsiOperation.CREATE_VOLUME)).hasSize(1);
      assertThat(ledger).content().contains("\nDeleteVolumeRequest volume_id: ");

      Files.delete(obstacle);
      plugin.clearFaults();
      assertThat(PluginConformance.cleanUpAfter(described)).isEmpty();
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  @Test
  void aCaseWhoseLedgerCannotBeWrittenAnyMoreTakesAwayWhatItHasMade(@TempDir Path directory) {
    Path ledger = directory.resolve("ledger");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.CREATE_VOLUME));
      CaseResult result;
      PluginUnderTest described = PluginUnderTest.builder(plugin.endpoint()).ledger(ledger).build();
      try (ConformanceRun run = PluginConformance.open(described)) {
        CompletableFuture<Path> obstructed =
            CompletableFuture.supplyAsync(
                () -> {
                  var unused =
                      plugin
                          .journal()
                          .await(
                              call -> call.operation() == CsiOperation.CREATE_VOLUME,
                              Duration.ofSeconds(20));
                  try {
                    return obstruct(ledger);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  } finally {
                    plugin.clearFaults();
                    plugin.release();
                  }
                });
        result = run.run(named(STAGE_AGAIN));
        assertThat(obstructed.join()).exists();
      }

      assertThat(result.outcome()).isEqualTo(Outcome.NOT_RUN);
      assertThat(result.story()).startsWith("the run cannot note in ");
      assertThat(result.leftBehind()).isEmpty();
      assertThat(plugin.journal().calls(CsiOperation.DELETE_VOLUME)).hasSize(1);
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(ledger).doesNotExist();
    }
  }

  @Test
  void aLedgerThatCannotBeReadStays(@TempDir Path directory) throws IOException {
    Path ledger = directory.resolve("ledger");
    Files.writeString(
        ledger,
        "csi4j conformance: things that a run has created and not " + "removed\nnonsense\n");
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      PluginUnderTest described = PluginUnderTest.builder(plugin.endpoint()).ledger(ledger).build();

      assertThatThrownBy(() -> PluginConformance.cleanUpAfter(described))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith(" is damaged: a line is not a request.");
      assertThat(ledger).exists();
    }
  }

  @Test
  void anExistingVolumeIsUsedWhereThePluginCouldCreateOne() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      VolumeId existing = VolumeId.of("made-by-others");
      plugin.addVolume(existing);
      ConformanceReport report =
          run(
              PluginUnderTest.builder(plugin.endpoint())
                  .existingVolume(existing, VolumeContext.empty())
                  .build(),
              "node/life/of-a-filesystem");

      assertThat(report.clean()).as(report.text()).isTrue();
      assertThat(plugin.journal().calls(CsiOperation.CREATE_VOLUME)).isEmpty();
      assertThat(plugin.contents().volumes()).isEqualTo(List.of(existing));
    }
  }

  @Test
  void aFailedCaseCleansUpAndTellsItsCallsWithoutSecrets() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.applyThenFail(StatusCode.INTERNAL, "the password is hunter2-hunter2"),
          When.calling(CsiOperation.NODE_STAGE_VOLUME).nth(2));
      CaseResult result =
          resultOf(
              PluginUnderTest.builder(plugin.endpoint())
                  .secrets(Secrets.of(Map.of("password", "hunter2-hunter2")))
                  .build(),
              STAGE_AGAIN);

      assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(result.leftBehind()).isEmpty();
      assertThat(result.story())
          .contains("ControllerPublishVolume, NodeStageVolume\n  NodeStageVolume {")
          .contains("\n  set-up, all OK: GetPluginCapabilities, ")
          .doesNotContain("CreateVolume {")
          .doesNotContain("hunter2");
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.contents().idle()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = StatusCode.class,
      names = {"CANCELLED", "UNKNOWN", "ABORTED", "INTERNAL", "DATA_LOSS"})
  void aVolumeThatWasMadeByACallThatFailedIsDeleted(StatusCode code) {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.applyThenFail(code, "who knows"), When.calling(CsiOperation.CREATE_VOLUME).nth(1));
      CaseResult result =
          resultOf(PluginUnderTest.at(plugin.endpoint()), "controller/create/a-volume-is-made");

      assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(result.leftBehind()).isEmpty();
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  @Test
  void aSnapshotThatWasMadeByACallThatFailedIsDeleted() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.applyThenFail(StatusCode.INTERNAL, "who knows"),
          When.calling(CsiOperation.CREATE_SNAPSHOT).nth(1));
      CaseResult result =
          resultOf(PluginUnderTest.at(plugin.endpoint()), "snapshots/create/a-snapshot-is-made");

      assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(result.leftBehind()).isEmpty();
      assertThat(plugin.contents().snapshots()).isEmpty();
      assertThat(plugin.contents().volumes()).isEmpty();
    }
  }

  @Test
  void aVolumeThatIsRefusedWithTheSameErrorAgainIsNotTakenForLeftBehind() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no disk"), When.calling(CsiOperation.CREATE_VOLUME));
      CaseResult result =
          resultOf(PluginUnderTest.at(plugin.endpoint()), "controller/create/a-volume-is-made");

      assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(result.leftBehind()).isEmpty();
    }
  }

  @Test
  void aVolumeThatIsStillBeingMadeIsTakenForLeftBehind() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.ABORTED, "at work"), When.calling(CsiOperation.CREATE_VOLUME));
      CaseResult result =
          resultOf(PluginUnderTest.at(plugin.endpoint()), "controller/create/a-volume-is-made");

      assertThat(result.leftBehind())
          .containsExactly(
              "what CreateVolume may have created: CreateVolume ended with ABORTED (10): 'at"
                  + " work'");
    }
  }

  @Test
  void aStoryNamesThePluginAndNotTheProxyBeforeIt() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open();
        CsiProxy proxy = CsiProxy.open(plugin.endpoint())) {
      proxy.inject(Fault.drop(), When.calling(CsiOperation.PROBE));
      CaseResult result =
          resultOf(
              PluginUnderTest.builder(proxy.endpoint()).startsAt(plugin.endpoint()).build(),
              "identity/probe/says-ready");

      assertThat(result.story())
          .startsWith("nothing answers on " + plugin.endpoint() + ": ")
          .doesNotContain(proxy.endpoint().path().toString());
    }
  }

  @Test
  void whatCannotBeCleanedUpIsReported() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.DELETE_VOLUME));
      ConformanceReport report =
          run(PluginUnderTest.at(plugin.endpoint()), "controller/create/a-volume-is-made");

      assertThat(report.count(Outcome.PASSED)).isEqualTo(1);
      assertThat(report.clean()).isFalse();
      assertThat(report.results().get(0).leftBehind())
          .singleElement()
          .asString()
          .startsWith("the volume '")
          .endsWith("': DeleteVolume ended with INTERNAL (13): 'no'");
      assertThat(report.text()).contains("LEFT BEHIND by controller/create/a-volume-is-made");
      assertThat(count("error", report)).isEqualTo(1);
    }
  }

  @Test
  void aFailedCaseCanBeKeptToBeLookedAt(@TempDir Path directory) {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"),
          When.calling(CsiOperation.NODE_STAGE_VOLUME).nth(2));
      ConformanceReport report =
          run(
              PluginUnderTest.builder(plugin.endpoint())
                  .directory(directory)
                  .cleanup(Cleanup.UNLESS_FAILED)
                  .build(),
              STAGE_AGAIN);

      assertThat(plugin.contents().volumes()).hasSize(1);
      assertThat(report.results().get(0).leftBehind()).isNotEmpty();
    }
  }

  @Test
  void aPluginThatDoesNotListenIsNotJudged() {
    PluginUnderTest nobody;
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      nobody = PluginUnderTest.at(plugin.endpoint());
    }
    ConformanceReport report = run(nobody, "identity/*");

    assertThat(report.clean()).isFalse();
    assertThat(report.results())
        .isNotEmpty()
        .allSatisfy(
            result -> {
              assertThat(result.outcome()).isIn(Outcome.NOT_RUN, Outcome.SKIPPED);
              assertThat(result.story())
                  .matches("nothing answers on unix:.*|the plugin serves everything on one socket");
            });
  }

  @Test
  void aPluginThatSaysThatItIsNotReadyIsAskedOnceAndNotJudged() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.answer(CsiOperation.PROBE, "{\"ready\": false}"), When.calling(CsiOperation.PROBE));
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no storage yet"),
          When.calling(CsiOperation.CREATE_VOLUME));
      PluginUnderTest described =
          PluginUnderTest.builder(plugin.endpoint()).deadline(A_MOMENT).build();
      try (ConformanceRun run = PluginConformance.open(described)) {
        List<CaseResult> results = new ArrayList<>();
        List<Integer> probes = new ArrayList<>();
        for (ConformanceCase each : PluginConformance.cases()) {
          if (each.name().startsWith("controller/create/")) {
            results.add(run.run(each));
            probes.add(plugin.journal().calls(CsiOperation.PROBE).size());
          }
        }

        assertThat(results)
            .hasSizeGreaterThan(10)
            .allSatisfy(
                result -> {
                  assertThat(result.outcome()).isEqualTo(Outcome.NOT_RUN);
                  assertThat(result.story())
                      .isEqualTo("the plugin says that it is not ready. Run the suite when it is");
                });
        assertThat(probes).first().isNotEqualTo(0);
        assertThat(probes).containsOnly(probes.get(0));
        assertThat(plugin.journal().calls(CsiOperation.CREATE_VOLUME)).isEmpty();
      }
    }
  }

  @Test
  void aListenerIsToldOfEveryCaseInItsTurn() {
    List<String> told = new ArrayList<>();
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      PluginConformance.run(
          PluginUnderTest.at(plugin.endpoint()),
          ConformanceCase.named("identity/probe/*"),
          new ConformanceListener() {
            @Override
            public void started(ConformanceCase about, int number, int of) {
              told.add(number + " of " + of + " " + about.name());
            }

            @Override
            public void ended(CaseResult result) {
              told.add(result.about().name() + " " + result.outcome());
            }
          });
    }
    assertThat(told)
        .containsExactly(
            "1 of 2 identity/probe/says-ready",
            "identity/probe/says-ready PASSED",
            "2 of 2 identity/probe/can-be-repeated",
            "identity/probe/can-be-repeated PASSED");
  }

  @Test
  void theReportIsXmlThatCountsAsTheTableDoes() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "<&>\"\u0000"), When.calling(CsiOperation.PROBE));
      ConformanceReport report = run(PluginUnderTest.at(plugin.endpoint()), "identity/*");

      assertThat(count("testcase", report)).isEqualTo(report.results().size());
      assertThat(report.junitXml())
          .contains("<testsuites tests=\"11\" failures=\"1\" errors=\"1\" skipped=\"2\"");
      assertThat(count("failure", report)).isEqualTo(report.count(Outcome.FAILED)).isEqualTo(1);
      assertThat(count("skipped", report)).isEqualTo(report.count(Outcome.SKIPPED));
      assertThat(report.text())
          .contains("FAILED identity/probe/says-ready\n")
          .containsPattern("identity +7 +0 +2 +1 +1\n");
    }
  }

  /** How often an element begins, in a document whose elements all end where they should. */
  private static int count(String element, ConformanceReport report) {
    Deque<String> open = new ArrayDeque<>();
    int count = 0;
    Matcher tags = TAG.matcher(report.junitXml());
    while (tags.find()) {
      String name = tags.group(2);
      if (tags.group(1).isEmpty()) {
        count += name.equals(element) ? 1 : 0;
        open.push(name);
      }
      if (!tags.group(1).isEmpty() || !tags.group(3).isEmpty()) {
        assertThat(open.pop()).isEqualTo(name);
      }
    }
    assertThat(open).isEmpty();
    assertThat(TAG.matcher(report.junitXml()).replaceAll("").replaceFirst("<\\?xml[^>]*>", ""))
        .doesNotContain("<", ">");
    return count;
  }
}
