package io.csi4j.volume.plugin.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.VirtualTime;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.PluginException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a process is kept running, on virtual time. */
class ProcessKeeperTest {

  private static final Duration EARLY = Duration.ofSeconds(5);
  private static final Duration LATE = Duration.ofMinutes(5);
  private static final ProcessPluginLauncher.Settings SETTINGS =
      ProcessPluginLauncher.Settings.builder()
          .backoff(Duration.ofSeconds(1))
          .backoffCap(Duration.ofSeconds(60))
          .early(Duration.ofSeconds(30))
          .stopping(Duration.ofSeconds(10))
          .longestLine(100)
          .lastWords(3)
          .build();
  private static final HostProcessTable.Order ORDER =
      new HostProcessTable.Order(List.of("plugin", "--node"), Map.of("A", "b"), Optional.empty());

  private final VirtualTime time = new VirtualTime();
  private final ScriptedProcesses processes = new ScriptedProcesses();
  private final List<ProcessPluginLauncher.Event> events = new ArrayList<>();
  private final List<String> output = new ArrayList<>();
  private Runnable prepare = () -> {};
  private ProcessKeeper keeper;

  @BeforeEach
  void start() {
    time.setRandom(1);
    keeper =
        new ProcessKeeper(
            new ProcessKeeper.Parts(
                "disk.csi",
                time,
                time,
                processes,
                ORDER,
                () -> prepare.run(),
                SETTINGS,
                output::add,
                events::add));
  }

  private void run() {
    keeper.start();
    time.settle();
  }

  private void endAfter(Duration lived, int status) {
    time.pass(lived);
    processes.last().ends(status);
    time.settle();
  }

  private <T extends ProcessPluginLauncher.Event> T last(Class<T> type) {
    return type.cast(events.get(events.size() - 1));
  }

  private Duration pause() {
    return last(ProcessPluginLauncher.Event.Ended.class).pause().orElseThrow();
  }

  @Test
  void itIsStartedWithItsCommandAndVariables() {
    run();

    assertThat(processes.orders).containsExactly(ORDER);
    assertThat(keeper.process()).hasValue(100);
    assertThat(last(ProcessPluginLauncher.Event.Started.class).process()).isEqualTo(100);
    assertThat(time.waiting()).isZero();
  }

  @Test
  void aStartThatIsOnItsWayWhenItRunsAlreadyStartsNoOther() {
    run();
    keeper.start();
    time.settle();

    assertThat(processes.started).hasSize(1);
  }

  @Test
  void pausesDoubleWithEachEarlyEndUpToTheCapAndBeginAnewAfterALongRun() {
    run();
    List<Duration> pauses = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      endAfter(EARLY, 1);
      pauses.add(pause());
      time.pass(pause());
    }
    assertThat(pauses)
        .extracting(Duration::toSeconds)
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);

    endAfter(LATE, 1);
    assertThat(pause()).isEqualTo(Duration.ofSeconds(1));
    assertThat(processes.started).hasSize(9);
  }

  @Test
  void aPauseIsAnythingUpToItsLimit() {
    run();
    time.setRandom(0.25);
    endAfter(EARLY, 1);
    assertThat(pause()).isEqualTo(Duration.ofMillis(250));

    time.pass(Duration.ofMillis(249));
    assertThat(processes.started).hasSize(1);
    time.pass(Duration.ofMillis(1));
    assertThat(processes.started).hasSize(2);

    time.setRandom(0);
    endAfter(EARLY, 1);
    assertThat(processes.started).hasSize(3);
  }

  @Test
  @Tag("D-042")
  void anEarlyEndWithAnErrorIsToldWithItsStatusAndLastWords() {
    run();
    processes.last().says("starting");
    processes.last().says("flag provided but not defined: -nodid");
    endAfter(Duration.ofMillis(200), 2);

    ProcessPluginLauncher.Event.Ended ended = last(ProcessPluginLauncher.Event.Ended.class);
    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.lived()).isEqualTo(Duration.ofMillis(200));
    assertThat(ended.lastWords())
        .containsExactly("starting", "flag provided but not defined: -nodid");
    assertThat(ended.message().map(OperatorMessage::code)).contains(OperatorCode.PLUGIN_EXITED);
    assertThat(ended.message().orElseThrow().line())
        .isEqualTo(
            "CSI-319 PLUGIN_EXITED: starting the process of plugin 'disk.csi': it ended with status"
                + " 2 after 200 ms, and it wrote last: starting / flag provided but not"
                + " defined: -nodid; existing mounts stay. "
                + OperatorCode.PLUGIN_EXITED.next()
                + ".");
  }

  @Test
  void neitherALateEndNorOneWithoutAnErrorNorOneByASignalIsAMisconfiguration() {
    run();
    endAfter(LATE, 2);
    assertThat(last(ProcessPluginLauncher.Event.Ended.class).message()).isEmpty();
    time.pass(pause());
    endAfter(EARLY, 0);
    assertThat(last(ProcessPluginLauncher.Event.Ended.class).message()).isEmpty();
    time.pass(pause());
    endAfter(EARLY, 137);
    assertThat(last(ProcessPluginLauncher.Event.Ended.class).message()).isEmpty();
    time.pass(pause());
    assertThat(processes.started).hasSize(4);
  }

  @Test
  void eachRunHasANameOfItsOwn() {
    run();
    endAfter(EARLY, 1);
    time.pass(pause());

    assertThat(
            events.stream()
                .filter(ProcessPluginLauncher.Event.Started.class::isInstance)
                .map(event -> ((ProcessPluginLauncher.Event.Started) event).instance()))
        .hasSize(2)
        .doesNotHaveDuplicates();
    assertThat(((ProcessPluginLauncher.Event.Ended) events.get(1)).instance())
        .isEqualTo(((ProcessPluginLauncher.Event.Started) events.get(0)).instance());
  }

  @Test
  void whatCannotBeStartedIsToldAndTriedAgain() {
    processes.refusal = new IOException("Cannot run program \"plugin\": No such file or directory");
    run();

    ProcessPluginLauncher.Event.NotStarted told =
        last(ProcessPluginLauncher.Event.NotStarted.class);
    assertThat(told.message().code()).isEqualTo(OperatorCode.PLUGIN_EXITED);
    assertThat(told.message().seen())
        .hasToString(
            "it could not be started: Cannot run program \"plugin\": No such file or directory");
    assertThat(told.pause()).isEqualTo(Duration.ofSeconds(1));

    time.pass(told.pause());
    assertThat(last(ProcessPluginLauncher.Event.NotStarted.class).pause())
        .isEqualTo(Duration.ofSeconds(2));
    processes.refusal = null;
    time.pass(Duration.ofSeconds(2));
    assertThat(keeper.process()).hasValue(100);
  }

  @Test
  void aStartThatFailsUnexpectedlyIsTriedAgainAndToldWithoutItsTextWhichMayHoldASecret() {
    for (Throwable failure :
        List.of(
            new IllegalArgumentException("Invalid environment variable value: \"hunter22\""),
            new OutOfMemoryError("hunter22"))) {
      processes.failure = failure;
      keeper.restart();
      time.settle();

      ProcessPluginLauncher.Event.NotStarted told =
          last(ProcessPluginLauncher.Event.NotStarted.class);
      assertThat(told.message().code()).isEqualTo(OperatorCode.PLUGIN_EXITED);
      assertThat(told.message().seen())
          .hasToString("it could not be started: " + failure.getClass().getName());
      assertThat(told.toString()).doesNotContain("hunter22");
      assertThat(time.timers()).containsExactly(told.pause());
    }

    processes.failure = null;
    time.pass(Duration.ofSeconds(2));
    assertThat(keeper.process()).hasValue(100);
  }

  @Test
  void aPreparationThatFailsUnexpectedlyIsTriedAgain() {
    prepare =
        () -> {
          throw new UnsupportedOperationException("no such attribute");
        };
    run();
    assertThat(last(ProcessPluginLauncher.Event.NotStarted.class).message().seen())
        .hasToString("it could not be started: java.lang.UnsupportedOperationException");

    prepare = () -> {};
    time.pass(Duration.ofSeconds(1));
    assertThat(processes.started).hasSize(1);
  }

  @Test
  void whatMustNotBeStartedIsNotUntilItMay() {
    OperatorMessage message =
        Messages.of(OperatorCode.PLUGIN_DUPLICATE, Subject.of("preparing"), "somebody listens");
    prepare =
        () -> {
          throw new PluginException(message);
        };
    run();
    assertThat(events)
        .containsExactly(
            new ProcessPluginLauncher.Event.NotStarted(message, Duration.ofSeconds(1)));
    assertThat(processes.started).isEmpty();

    prepare = () -> {};
    time.pass(Duration.ofSeconds(1));
    assertThat(processes.started).hasSize(1);
  }

  @Test
  void stoppingAsksItToEndAndIsDoneWhenItHas() {
    run();
    CompletableFuture<Void> stopped = keeper.stop();
    time.settle();
    assertThat(processes.last().signals).containsExactly("TERM");
    assertThat(stopped).isNotDone();

    endAfter(Duration.ofSeconds(3), 143);
    assertThat(stopped).isCompleted();
    assertThat(last(ProcessPluginLauncher.Event.Ended.class).pause()).isEmpty();
    assertThat(last(ProcessPluginLauncher.Event.Ended.class).message()).isEmpty();
    assertThat(time.waiting()).isZero();
    time.pass(LATE);
    assertThat(processes.started).hasSize(1);
    assertThat(processes.last().signals).containsExactly("TERM");
  }

  @Test
  void whatDoesNotEndInTimeIsKilled() {
    run();
    CompletableFuture<Void> stopped = keeper.stop();
    time.pass(Duration.ofSeconds(10).minusNanos(1));
    assertThat(processes.last().signals).containsExactly("TERM");
    time.pass(Duration.ofNanos(1));
    assertThat(processes.last().signals).containsExactly("TERM", "KILL");
    assertThat(stopped).isNotDone();

    processes.last().ends(137);
    time.settle();
    assertThat(stopped).isCompleted();
  }

  @Test
  void stoppingBetweenTwoRunsStartsNoOtherAndStoppingTwiceIsHarmless() {
    run();
    endAfter(EARLY, 1);
    CompletableFuture<Void> stopped = keeper.stop();
    time.settle();

    assertThat(stopped).isCompleted();
    assertThat(keeper.process()).isEmpty();
    assertThat(time.waiting()).isZero();
    CompletableFuture<Void> again = keeper.stop();
    time.settle();
    assertThat(again).isCompleted();
    assertThat(processes.started).hasSize(1);
  }

  @Test
  void aRestartEndsItAndStartsItAtOnceAndTellsOfNoMisconfiguration() {
    run();
    endAfter(EARLY, 1);
    time.pass(pause());
    endAfter(EARLY, 1);
    time.pass(pause());

    keeper.restart();
    keeper.restart();
    time.settle();
    assertThat(processes.last().signals).containsExactly("TERM");
    processes.last().ends(1);
    time.settle();
    assertThat(((ProcessPluginLauncher.Event.Ended) events.get(events.size() - 2)).pause())
        .contains(Duration.ZERO);
    assertThat(((ProcessPluginLauncher.Event.Ended) events.get(events.size() - 2)).message())
        .isEmpty();
    assertThat(processes.started).hasSize(4);
    assertThat(processes.last().signals).isEmpty();

    endAfter(EARLY, 1);
    assertThat(pause()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aRestartDoesNotWaitForThePause() {
    run();
    endAfter(EARLY, 1);
    keeper.restart();
    time.settle();
    assertThat(processes.started).hasSize(2);
    time.pass(LATE);
    assertThat(processes.started).hasSize(2);
  }

  @Test
  void aStopDuringARestartWins() {
    run();
    keeper.restart();
    CompletableFuture<Void> stopped = keeper.stop();
    time.settle();
    processes.last().ends(143);
    time.settle();
    time.pass(LATE);

    assertThat(stopped).isCompleted();
    assertThat(processes.started).hasSize(1);
    assertThat(processes.last().signals).containsExactly("TERM");
  }

  @Test
  void outputIsHandedOverAndTheLastLinesOfEachRunAreKept() {
    run();
    for (String line : List.of("one", "two", "three", "four")) {
      processes.last().says(line);
    }
    assertThat(output).containsExactly("one", "two", "three", "four");
    assertThat(keeper.lastWords()).containsExactly("two", "three", "four");

    endAfter(EARLY, 1);
    assertThat(keeper.lastWords()).containsExactly("two", "three", "four");
    time.pass(pause());
    assertThat(keeper.lastWords()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSinkThatThrowsHarmsNothing(boolean isError) {
    ProcessKeeper harmed =
        new ProcessKeeper(
            new ProcessKeeper.Parts(
                "disk.csi",
                time,
                time,
                processes,
                ORDER,
                () -> {},
                SETTINGS,
                line -> {
                  if (isError) {
                    throw new AssertionError("sink");
                  }
                  throw new IllegalStateException("sink");
                },
                event -> {}));
    harmed.start();
    time.settle();
    processes.last().says("kept all the same");
    assertThat(harmed.lastWords()).containsExactly("kept all the same");
    endAfter(EARLY, 1);
    time.pass(Duration.ofSeconds(1));
    assertThat(processes.started).hasSize(2);
  }
}
