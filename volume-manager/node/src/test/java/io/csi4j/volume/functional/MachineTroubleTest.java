package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clocks that jump, processes that pause, threads that break, and many volumes at once. */
@Isolated("Reads the log of the modules, and has the handler of all failures.")
class MachineTroubleTest {

  private static final String BROKEN =
      "Working on volume 'vol-1' of plugin 'fake.csi4j.example' failed. Report this.";

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  @Tag("I-1")
  @Test
  void theTimeOfDayDecidesNothing() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      node.time().jumpWall(Duration.ofDays(3_650));
      node.time().jumpWall(Duration.ofDays(-7_300));
      assertThat(mounting).isNotDone();
      node.plugin().release();

      node.get(mounting);
      node.time().jumpWall(Duration.ofDays(7_300));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.calls())
          .as("I-1: jumps of the wall clock change nothing")
          .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
    }
  }

  @Test
  void anAnswerThatComesAfterALongPauseIsTakenAsItIs() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      node.skip(Duration.ofMinutes(10));
      assertThat(node.calls()).containsExactly("Stage:open");
      node.plugin().release();

      node.get(mounting);
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("I-2")
  @Tag("I-3")
  @Test
  void aPauseOfTheWholeProcessIsToldOnceAndWhatWasDueGoesOn() {
    MountPolicy slow =
        Node.QUICK.toBuilder()
            .backoff(Duration.ofSeconds(100))
            .backoffCap(Duration.ofSeconds(100))
            .build();
    try (Node node = Node.builder().policy(slow).open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.fail(StatusCode.ABORTED, "busy"), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      Node.eventually(
          "it pauses",
          () ->
              node.time().pauses().stream()
                  .anyMatch(each -> each.toSeconds() >= 25 && each.toSeconds() <= 100));
      node.skip(Duration.ofMinutes(10));

      node.get(mounting);
      assertThat(
              node.notices().stream()
                  .filter(told -> told.code() == OperatorCode.LONG_PAUSE)
                  .count())
          .as("I-2 I-3: the pause is told, once")
          .isEqualTo(1);
      assertThat(node.calls())
          .as("I-2 I-3: what was due goes on, no call twice")
          .containsExactly("Stage:ABORTED", "Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  static Stream<Error> errors() {
    return Stream.of(
        new OutOfMemoryError("test"),
        new StackOverflowError(),
        new NoClassDefFoundError("test/Codec"),
        new ExceptionInInitializerError("test"));
  }

  @Tag("I-4")
  @Tag("I-5")
  @ParameterizedTest
  @MethodSource("errors")
  void nomad15518_aStepThatBreaksLeavesNothingBehind(Error error) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      node.life().breakNextLook(error);
      node.plugin().release();

      VolumeException failure = node.fails(mounting);

      assertThat(failure.code())
          .as("I-4 I-5: the error is told")
          .isEqualTo(OperatorCode.STEP_FAILED);
      assertThat(failure.getMessage()).contains(error.getClass().getSimpleName());
      assertThat(failure).hasCause(error);
      node.becomesClean();
      assertThat(node.calls())
          .as("I-4 I-5: what is in doubt is undone")
          .containsExactly("Stage:OK", "Unstage:OK");
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @MethodSource("errors")
  void aReleaseThatBreaksIsFinishedInTheBackground(Error error) {
    try (CapturedLog log = CapturedLog.ofVolumes();
        Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.life().breakNextLook(error);

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.STEP_FAILED);
      assertThat(log.messages(Level.SEVERE)).containsExactly(BROKEN);
      node.becomesClean();
    }
  }

  @Tag("I-7")
  @Test
  void theHandlersOfTheHostHearOfNoFailureOfAStep() {
    List<Throwable> heard = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> {
          heard.add(failure);
          throw new IllegalStateException("a handler of the host that fails");
        });
    try (CapturedLog log = CapturedLog.ofVolumes();
        Node node = Node.open()) {
      node.volume("vol-1");
      node.life().breakNextLook(new StackOverflowError());

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code())
          .as("I-7: the caller hears of it")
          .isEqualTo(OperatorCode.STEP_FAILED);
      assertThat(log.messages(Level.SEVERE)).containsExactly(BROKEN);
      node.becomesClean();
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertThat(heard).as("I-7: the handler of the host does not").isEmpty();
  }

  private static List<WantedUse> mounted(Node node, int volumes) {
    List<WantedUse> wanted = new ArrayList<>();
    for (int i = 0; i < volumes; i++) {
      node.volume("vol-" + i);
      MountRequest request = single("vol-" + i, "web");
      node.mount(request);
      wanted.add(new WantedUse.Requested(request));
    }
    return wanted;
  }

  private static int mostAtOnce(Node node) {
    List<RecordedCall> calls =
        node.plugin().journal().calls().stream().filter(call -> call.volume().isPresent()).toList();
    Set<Long> numbers = calls.stream().map(RecordedCall::number).collect(Collectors.toSet());
    return 1
        + calls.stream()
            .mapToInt(call -> (int) call.beside().stream().filter(numbers::contains).count())
            .max()
            .orElse(0);
  }

  @Tag("J2")
  @Test
  void afterARebootAPluginIsNotFloodedWithCalls() {
    int volumes = 24;
    int most = 3;
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().callsInFlight(most).build()).open()) {
      List<WantedUse> wanted = mounted(node, volumes);
      node.reboot();
      IntStream.range(0, volumes).forEach(i -> node.volume("vol-" + i));
      node.plugin().journal().clear();
      assertThat(node.noticed(OperatorCode.REBOOT_DETECTED)).as("J2: the boot is told").isTrue();

      assertThat(node.reconcile(wanted.toArray(WantedUse[]::new)).mounted()).isEqualTo(volumes);

      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME)).hasSize(volumes);
      assertThat(mostAtOnce(node))
          .as("J2: no more calls at once than the plugin allows")
          .isLessThanOrEqualTo(most);
      IntStream.range(0, volumes)
          .forEach(
              i ->
                  assertThat(node.unmount(usage("vol-" + i, "web")))
                      .isEqualTo(UnmountOutcome.LAST));
    }
  }

  @Tag("J3")
  @Test
  void onePluginOfFiveThatHangsDelaysNoneOfTheOthers() {
    try (Node node = Node.open()) {
      node.volume("vol-0");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME));
      List<CompletableFuture<MountedVolume>> stuck = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        node.volume("vol-" + i);
        stuck.add(node.engine().mount(single("vol-" + i, "web")));
      }
      for (int p = 1; p < 5; p++) {
        PluginId id = PluginId.of("p" + p + ".csi4j.example");
        FakeCsiPlugin plugin = node.plug(id, PluginShape.nodeOnly(), Node.QUICK);
        VolumeId volume = VolumeId.of("vol-p" + p);
        plugin.addVolume(volume, CapacityRange.exactly(1L << 30), Node.context());
        MountRequest request =
            Node.request(id, usage("vol-p" + p, "web"), volume, AccessMode.SINGLE_NODE_WRITER)
                .build();
        node.mount(request);
        assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
        assertThat(Node.calls(plugin))
            .containsExactly("Stage:OK", "Publish:OK", "Unpublish:OK", "Unstage:OK");
      }
      assertThat(stuck)
          .as("J3: the others are done while one hangs")
          .noneMatch(CompletableFuture::isDone);
      node.plugin().clearFaults();
      node.plugin().release();
      stuck.forEach(node::get);
      for (int i = 0; i < 20; i++) {
        assertThat(node.unmount(usage("vol-" + i, "web"))).isEqualTo(UnmountOutcome.LAST);
      }
    }
  }

  @Tag("campaign")
  @Tag("J4")
  @Test
  void afterAnOutageRepetitionsAreSpreadAndBounded() {
    int volumes = 40;
    int most = 4;
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().callsInFlight(most).attempts(1).build())
            .open()) {
      List<WantedUse> unused = mounted(node, volumes);
      assertThat(unused).hasSize(volumes);
      node.plugin()
          .inject(
              Fault.fail(StatusCode.UNAVAILABLE, "the storage is away"),
              When.calling(NODE_UNPUBLISH_VOLUME));
      node.time().drawFrom(new Random(7));
      List<CompletableFuture<UnmountOutcome>> releases = new ArrayList<>();
      for (int i = 0; i < volumes; i++) {
        releases.add(node.engine().unmount(usage("vol-" + i, "web")));
      }
      releases.forEach(node::fails);
      Set<Duration> before = Set.copyOf(node.time().pauses());
      for (int minute = 0; minute < 60; minute++) {
        node.skip(Duration.ofMinutes(1));
      }
      Node.eventually("repetitions", () -> spread(node, before).size() > volumes);
      assertThat(spread(node, before))
          .as("J4: repetitions are spread within the cap")
          .allMatch(pause -> pause.compareTo(Duration.ofMinutes(5)) <= 0);
      node.plugin().clearFaults();

      node.becomesClean();
      assertThat(mostAtOnce(node)).as("J4: no burst").isLessThanOrEqualTo(most);
    }
  }

  /** The different pauses that were not asked for before. */
  private static Set<Duration> spread(Node node, Set<Duration> before) {
    Set<Duration> pauses = new HashSet<>(node.time().pauses());
    pauses.removeAll(before);
    return pauses;
  }

  @Test
  void everyOperationThatBeginsEndsOnce() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "a"));
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.UNKNOWN);
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);

      Node.eventually("ends", () -> node.openOperations().isEmpty());
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
    }
  }
}
