package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.HELD;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A plugin that dies, hangs, is slow, forgets, or comes back as another. */
class PluginTroubleTest {

  /** Gives no call up while the time of a test is skipped. */
  private static final MountPolicy PATIENT =
      Node.QUICK.toBuilder().attemptDeadline(Duration.ofDays(1)).build();

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  /** Mounts and releases a volume while the first call of one verb goes wrong. */
  private static List<String> survives(CsiOperation operation, Fault fault) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(fault, When.calling(operation).once());

      MountedVolume mounted = node.mount(single("vol-1", "web"));
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      assertThat(mounted.path()).isEqualTo(node.targetPath("vol-1", "web").toPath());
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.isClean()).isTrue();
      return node.calls().stream().map(call -> call.substring(call.indexOf(':') + 1)).toList();
    }
  }

  /** The codes of a mount or release in which the first and only call of each verb goes wrong. */
  private static List<OperatorCode> doubts(Fault fault) {
    List<OperatorCode> codes = new ArrayList<>();
    for (CsiOperation operation :
        List.of(
            NODE_STAGE_VOLUME,
            NODE_PUBLISH_VOLUME,
            CsiOperation.NODE_UNPUBLISH_VOLUME,
            CsiOperation.NODE_UNSTAGE_VOLUME)) {
      try (Node node = Node.builder().policy(Node.QUICK.toBuilder().attempts(1).build()).open()) {
        node.volume("vol-1");
        boolean isTaking = codes.size() < 2;
        if (!isTaking) {
          node.mount(single("vol-1", "web"));
        }
        node.plugin().inject(fault, When.calling(operation).once());
        codes.add(
            (isTaking
                    ? node.mountFails(single("vol-1", "web"))
                    : node.unmountFails(usage("vol-1", "web")))
                .code());
        node.becomesClean();
      }
    }
    return codes;
  }

  @Tag("C4")
  @Test
  void aCallWhosePluginDiesBeforeItsWorkIsInDoubt() {
    assertThat(doubts(Fault.drop()))
        .as("C4: nobody can tell whether it was read")
        .containsExactly(
            OperatorCode.STAGE_IN_DOUBT,
            OperatorCode.PUBLISH_IN_DOUBT,
            OperatorCode.UNPUBLISH_IN_DOUBT,
            OperatorCode.UNSTAGE_IN_DOUBT);
  }

  @Tag("C5")
  @Test
  void aCallWhosePluginDiesAfterItsWorkIsInDoubt() {
    assertThat(doubts(Fault.applyThenDrop()))
        .as("C5: nobody can tell whether it was done")
        .containsExactly(
            OperatorCode.STAGE_IN_DOUBT,
            OperatorCode.PUBLISH_IN_DOUBT,
            OperatorCode.UNPUBLISH_IN_DOUBT,
            OperatorCode.UNSTAGE_IN_DOUBT);
  }

  @Tag("C4")
  @ParameterizedTest
  @EnumSource(
      value = CsiOperation.class,
      names = {
        "NODE_STAGE_VOLUME",
        "NODE_PUBLISH_VOLUME",
        "NODE_UNPUBLISH_VOLUME",
        "NODE_UNSTAGE_VOLUME"
      })
  void aCallWhosePluginDiesBeforeItsWorkIsMadeAgain(CsiOperation operation) {
    assertThat(survives(operation, Fault.drop()))
        .as("C4: the call is made again, and no other is")
        .containsExactlyInAnyOrder("broken", "OK", "OK", "OK", "OK");
  }

  @Tag("C5")
  @ParameterizedTest
  @EnumSource(
      value = CsiOperation.class,
      names = {
        "NODE_STAGE_VOLUME",
        "NODE_PUBLISH_VOLUME",
        "NODE_UNPUBLISH_VOLUME",
        "NODE_UNSTAGE_VOLUME"
      })
  void aCallWhosePluginDiesAfterItsWorkIsMadeAgain(CsiOperation operation) {
    assertThat(survives(operation, Fault.applyThenDrop()))
        .as("C5: the call is made again, which ends it")
        .containsExactlyInAnyOrder("broken", "OK", "OK", "OK", "OK");
  }

  @Tag("C6")
  @Test
  void workThatIsHalfDoneIsFinishedByTheSameCall() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      AtomicInteger times = new AtomicInteger();
      node.effects()
          .whenPublishing(
              publication -> {
                if (times.incrementAndGet() == 1) {
                  node.kernel().host().directory(node.targetPath("vol-1", "web"));
                  throw new IOException("the bind mount failed");
                }
                node.effects().honest().publish(publication);
              });

      node.mount(single("vol-1", "web"));

      assertThat(node.calls())
          .as("C6: work that is half done is asked for again")
          .containsExactly("Stage:OK", "Publish:INTERNAL", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("C6")
  @Test
  void kubernetes125625_workThatIsHalfDoneAndThenRefusedIsReversed() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects()
          .whenStaging(
              (volume, path) -> {
                node.effects().honest().stage(volume, path);
                throw new IOException("the filesystem cannot be grown");
              });
      node.plugin()
          .inject(
              Fault.fail(StatusCode.OUT_OF_RANGE, "too small"),
              When.calling(NODE_STAGE_VOLUME).from(2));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.calls())
          .as("C6: work that is half done and then refused is undone")
          .containsExactly("Stage:INTERNAL", "Stage:OUT_OF_RANGE", "Unstage:OK");
      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("C6")
  @Test
  void workThatIsHalfDoneIsInDoubtUntilItIsUndone() {
    try (Node node = Node.builder().policy(Node.QUICK.toBuilder().attempts(1).build()).open()) {
      node.volume("vol-1");
      node.effects()
          .whenStaging(
              (volume, path) -> {
                node.effects().honest().stage(volume, path);
                throw new IOException("the filesystem cannot be grown");
              });

      assertThat(node.mountFails(single("vol-1", "web")).code())
          .as("C6: nobody can tell how much was done")
          .isEqualTo(OperatorCode.FAILED_IN_DOUBT);

      node.effects().reform();
      node.becomesClean();
      assertThat(node.calls())
          .as("C6: it is undone")
          .containsExactly("Stage:INTERNAL", "Unstage:OK");
    }
  }

  @Tag("C7")
  @Test
  void aHungCallHoldsUpNeitherOtherVolumesNorOtherPlugins() {
    PluginId other = PluginId.of("other.csi4j.example");
    try (Node node = Node.open()) {
      FakeCsiPlugin neighbour = node.plug(other, PluginShape.nodeOnly(), Node.QUICK);
      node.volume("vol-1");
      node.volume("vol-2");
      VolumeId third = VolumeId.of("vol-3");
      neighbour.addVolume(third, CapacityRange.exactly(1L << 30), Node.context());
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).ofVolume(VOLUME));

      CompletableFuture<MountedVolume> stuck = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      node.mount(single("vol-2", "web"));
      node.mount(
          Node.request(other, usage("vol-3", "web"), third, AccessMode.SINGLE_NODE_WRITER).build());

      assertThat(stuck).as("C7: the hung call keeps only its own caller").isNotDone();
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.calls(VOLUME)).containsExactly("Stage:open");
      node.plugin().clearFaults();
      node.plugin().release();
      assertThat(node.get(stuck).usage()).isEqualTo(usage("vol-1", "web"));
      for (String name : List.of("vol-1", "vol-2", "vol-3")) {
        assertThat(node.unmount(usage(name, "web"))).isEqualTo(UnmountOutcome.LAST);
      }
    }
  }

  @Tag("C7")
  @Tag("A7")
  @Test
  void kubernetes82492_afterTheHardLimitNothingIsReversedBeforeTheQuarantineIsOver() {
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().attemptDeadline(SHORT).attempts(1).build())
            .open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code())
          .as("A7: a staging without an answer is in doubt")
          .isEqualTo(OperatorCode.STAGE_IN_DOUBT);
      assertThat(node.noticed(OperatorCode.RPC_STUCK))
          .as("C7: the call that never ends is told")
          .isTrue();
      assertThat(node.verbs(VOLUME))
          .as("A7: nothing is undone while the plugin may still be at it")
          .doesNotContain("Unstage", "Publish");
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      // The plugin finishes what nobody waits for any more.
      node.plugin().release();
      Node.eventually("the late effect", () -> node.mounted(node.stagingPath(VOLUME)));
      node.becomesClean();
      assertThat(node.calls(VOLUME)).endsWith("Unstage:OK");
    }
  }

  @Test
  void releasesWaitForAPluginThatAnswersNothing() {
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().attemptDeadline(SHORT).build())
            .connecting(Duration.ofMillis(500))
            .open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().freeze();

      VolumeException mounting = node.mountFails(single("vol-2", "web"));
      VolumeException releasing = node.unmountFails(usage("vol-1", "web"));

      assertThat(mounting.code())
          .isIn(
              OperatorCode.PLUGIN_NOT_UP,
              OperatorCode.CAPABILITIES_UNKNOWN,
              OperatorCode.STAGE_IN_DOUBT);
      assertThat(releasing.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(releasing.code())
          .isIn(OperatorCode.PLUGIN_NOT_UP, OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      node.plugin().thaw();
      node.becomesClean();
    }
  }

  @Tag("C7")
  @Tag("C9")
  @Test
  void nomad13340_aSlowCallIsNeverDoubled() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.delay(Duration.ofSeconds(60)), When.calling(NODE_STAGE_VOLUME).once());

      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      Node.eventually("the plugin waits", () -> node.pluginClock().pending() > 0);
      CompletableFuture<MountedVolume> again = node.engine().mount(single("vol-1", "web"));
      node.skip(Duration.ofSeconds(60));
      Node.eventually("it is told", () -> node.noticed(OperatorCode.RPC_SLOW));
      assertThat(node.noticed(OperatorCode.RPC_SLOW)).as("C7 C9: it is told as slow").isTrue();
      assertThat(node.calls())
          .as("C9: no second call while one is open")
          .containsExactly("Stage:open");
      node.pluginClock().advance(Duration.ofSeconds(60));

      assertThat(node.get(mounting)).isEqualTo(node.get(again));
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aCallThatWaitsForItsTurnIsNotSaidToWaitForAnAnswer() {
    MountPolicy one = PATIENT.toBuilder().callsInFlight(1).build();
    try (Node node = Node.builder().policy(one).open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().mount(single("vol-1", "web"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(single("vol-2", "web"));

      node.inTheEnd("both are told", () -> slowLines(node).size() == 2);

      assertThat(slowLines(node))
          .anySatisfy(
              line ->
                  assertThat(line).contains("'vol-1'", "NodeStageVolume has not been answered yet"))
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("'vol-2'", "NodeStageVolume has not been sent yet")
                      .doesNotContain("answered"));
      assertThat(node.calls()).containsExactly("Stage:open");
      node.plugin().release();
      assertThat(node.get(first).usage()).isEqualTo(usage("vol-1", "web"));
      assertThat(node.get(second).usage()).isEqualTo(usage("vol-2", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whileAConnectionIsMadeNothingIsSaidOfThePluginsWork() {
    try (Node node = Node.builder().policy(PATIENT).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().freeze();
      node.restart();

      CompletableFuture<UnmountOutcome> releasing = node.engine().unmount(usage("vol-1", "web"));
      node.inTheEnd("it is told", () -> node.noticed(OperatorCode.RPC_SLOW));

      assertThat(slowLines(node))
          .allSatisfy(
              line ->
                  assertThat(line)
                      .contains("NodeUnpublishVolume has not been sent yet", "connection")
                      .doesNotContain("answered", "working on it"));
      node.plugin().thaw();
      assertThat(node.get(releasing)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.noticed(OperatorCode.RPC_STUCK)).isFalse();
    }
  }

  private static List<String> slowLines(Node node) {
    return node.notices().stream()
        .filter(it -> it.code() == OperatorCode.RPC_SLOW)
        .map(OperatorMessage::line)
        .toList();
  }

  @Tag("C12")
  @Test
  void aPluginThatForgotWhatIsGoneAnywayIsBelievedWithAWarning() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.kernel().host().detach(node.stagingPath(VOLUME));
      node.plugin().forget();

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.noticed(OperatorCode.PLUGIN_FORGOT))
          .as("C12: the release ends with a warning")
          .isTrue();
      assertThat(node.calls()).endsWith("Unpublish:NOT_FOUND", "Unstage:NOT_FOUND");
      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("C13")
  @Test
  void aPluginThatForgotWhatIsStillMountedNeedsAPerson() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().forget();

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.outcome()).isEqualTo(HELD);
      assertThat(failure.code())
          .as("C13: what is still mounted needs a person")
          .isEqualTo(OperatorCode.CLEANUP_NEEDS_HELP);
      assertThat(failure.getMessage()).contains("vol-1", "NOT_FOUND", "fake.csi4j.example");
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      assertThat(node.mountFails(single("vol-1", "other")).code())
          .isEqualTo(OperatorCode.VOLUME_IN_USE);

      node.volume("vol-1"); // Its memory is repaired, and the host asks again.
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("C14")
  @Test
  void aVolumeThatWasStagedIsUnstagedThoughThePluginStagesNoMore() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().upgrade(node.plugin().shape().without(NodeCapability.STAGE_UNSTAGE_VOLUME));

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(node.calls()).endsWith("Unpublish:OK", "Unstage:UNIMPLEMENTED");
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code())
          .as("C14: the staged volume is unstaged though the plugin stages no more")
          .isEqualTo(OperatorCode.CAPABILITY_LOST);
      assertThat(failure.getMessage()).contains("vol-1", "NodeUnstageVolume");
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isFalse();
      assertThat(node.mounted(node.stagingPath(VOLUME))).isTrue();
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.becomesClean();
      assertThat(node.calls()).endsWith("Unstage:OK");
    }
  }

  @Test
  void aCallThatThePluginDidNotHaveIsNotRepeatedWhileItDoesNotSayWhatItHas() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().upgrade(node.plugin().shape().without(NodeCapability.STAGE_UNSTAGE_VOLUME));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "busy"),
              When.calling(CsiOperation.NODE_GET_CAPABILITIES));

      assertThat(node.unmountFails(usage("vol-1", "web")).code())
          .isEqualTo(OperatorCode.CAPABILITY_LOST);
      VolumeException again = node.unmountFails(usage("vol-1", "web"));

      assertThat(again.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.calls()).endsWith("Unpublish:OK", "Unstage:UNIMPLEMENTED");
      assertThat(again.getMessage()).contains("NodeGetCapabilities", "busy");
      node.plugin().clearFaults();
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.becomesClean();
      assertThat(node.verbs(VOLUME)).endsWith("Unpublish", "Unstage", "Unstage");
    }
  }

  /** Nothing is mounted where such plugins stage, so the mount table proves nothing. */
  @Test
  void aStagingWithoutAMountIsNotTakenForGoneBecauseItCannotBeUnstaged() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().detach(node.stagingPath(VOLUME));
      node.plugin().upgrade(node.plugin().shape().without(NodeCapability.STAGE_UNSTAGE_VOLUME));

      assertThat(node.unmountFails(usage("vol-1", "web")).code())
          .isEqualTo(OperatorCode.CAPABILITY_LOST);

      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.becomesClean();
    }
  }

  @Tag("C15")
  @Test
  void aVolumeThatWasNotStagedIsNotUnstagedThoughThePluginStagesNow() {
    try (Node node =
        Node.builder()
            .shape(PluginShape.nodeOnly().without(NodeCapability.STAGE_UNSTAGE_VOLUME))
            .open()) {
      node.volume("vol-1");
      VolumeId second = node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.registerAll(); // and so what it can do now is asked on a connection of its own

      node.mount(single("vol-2", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME))
          .as("C15: what was not staged is not unstaged")
          .containsExactly("Publish", "Unpublish");
      assertThat(node.verbs(second)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME))
          .containsExactly("Publish", "Unpublish", "Stage", "Publish", "Unpublish", "Unstage");
    }
  }

  @Test
  void aPluginThatIsGoneKeepsItsVolumesUntilItIsBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "web"));
      node.crash();
      node.startWithoutPlugins();

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.outcome()).isIn(HELD, IN_PROGRESS);
      assertThat(failure.code())
          .isIn(OperatorCode.PLUGIN_NOT_UP, OperatorCode.PLUGIN_NOT_REGISTERED);
      assertThat(failure.getMessage()).contains("registered");
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      assertThat(node.mountFails(shared("vol-1", "other")).code())
          .isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
      node.registerAll();
      node.becomesClean();
    }
  }

  @Test
  void aReleaseWaitsForAPluginThatDoesNotListen() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().stop();

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);

      node.plugin().start();
      node.becomesClean();
    }
  }

  @Tag("C11")
  @Tag("A11")
  @Test
  void anotherProcessOfThePluginEndsTheQuarantineAndIsAskedWhatItCan() {
    try (Node node =
        Node.builder()
            .policy(
                Node.QUICK.toBuilder()
                    .attemptDeadline(SHORT)
                    .attempts(1)
                    .quarantine(Duration.ofDays(1_000))
                    .build())
            .open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.applyThenHang(), When.calling(NODE_PUBLISH_VOLUME).once());

      VolumeException failure = node.mountFails(single("vol-1", "web"));
      assertThat(failure.code())
          .as("A11: a publish without an answer is in doubt")
          .isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      node.skip(Duration.ofHours(1));
      Node.eventually(
          "the plugin heard that nobody waits for it",
          () -> node.calls(VOLUME).equals(List.of("Stage:OK", "Publish:abandoned")));
      node.restartPlugins();

      node.becomesClean(); // No other call is needed to find the new process.
      assertThat(node.calls(VOLUME))
          .containsExactly("Stage:OK", "Publish:abandoned", "Unpublish:OK", "Unstage:OK");
      List<CsiOperation> asked = node.plugin().journal().operations();
      assertThat(asked.subList(asked.indexOf(NODE_PUBLISH_VOLUME), asked.size()))
          .as("C11: the new process is asked what it can do before it is called")
          .containsSubsequence(CsiOperation.NODE_GET_CAPABILITIES, NODE_UNPUBLISH_VOLUME);
    }
  }

  @Test
  void aPluginThatRestartsAllTheTimeLosesNothing() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      for (int i = 0; i < 20; i++) {
        node.mount(single("vol-1", "web"));
        node.plugin().restart();
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
        node.plugin().replaceSocket();
      }
      assertThat(node.isClean()).isTrue();
      assertThat(node.verbs(VOLUME)).contains("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(
              node.plugin().journal().calls(NODE_UNSTAGE_VOLUME).stream()
                  .filter(call -> call.ok())
                  .count())
          .isEqualTo(20);
      assertThat(node.plugin().journal().calls(NODE_UNPUBLISH_VOLUME)).isNotEmpty();
    }
  }

  @Test
  void aReleaseThatWasSentAndCouldNotBeSentAgainIsNotToldAsNotSent() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().inject(Fault.applyThenHang(), When.calling(NODE_UNPUBLISH_VOLUME).once());
      CompletableFuture<UnmountOutcome> unmounting = node.engine().unmount(usage("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      Node.eventually("it is unpublished", () -> !node.mounted(target));

      node.plugin().stop();

      VolumeException failure = node.fails(unmounting);
      assertThat(failure.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.getMessage())
          .contains("NodeUnpublishVolume was sent before, and could not be sent again, UNAVAILABLE")
          .doesNotContain("no call was sent");
      node.plugin().start();
      node.becomesClean();
    }
  }

  @Test
  void aCallThatWasDoneBeforeThePluginDiedIsNotToldAsNotSent() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.applyThenHang(), When.calling(NODE_PUBLISH_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      Node.eventually("it is published", () -> node.mounted(target));

      node.plugin().stop();

      VolumeException failure = node.fails(mounting);
      assertThat(failure.code()).isEqualTo(OperatorCode.FAILED_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.getMessage())
          .contains("NodePublishVolume was sent before, and could not be sent again, UNAVAILABLE")
          .doesNotContain("no call was sent");
      node.plugin().start();
      node.becomesClean();
    }
  }

  @Tag("D-61")
  @ParameterizedTest
  @EnumSource(
      value = AccessMode.class,
      names = {"SINGLE_NODE_SINGLE_WRITER", "SINGLE_NODE_MULTI_WRITER"})
  void anAccessModeThatThePluginDoesNotKnowIsReplacedRememberedAndToldOnce(AccessMode mode) {
    PluginShape old = PluginShape.nodeOnly().without(NodeCapability.SINGLE_NODE_MULTI_WRITER);
    try (Node node = Node.builder().shape(old).open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      MountRequest request = Node.request("vol-1", "a", mode).build();
      MountedVolume there = node.mount(request);
      node.mount(Node.request("vol-2", "a", mode).build());

      assertThat(node.plugin().journal().lastCapability(CsiOperation.NODE_STAGE_VOLUME))
          .contains(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER));
      assertThat(node.plugin().journal().lastCapability(CsiOperation.NODE_PUBLISH_VOLUME))
          .contains(VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER));
      assertThat(node.notices())
          .filteredOn(it -> it.code() == OperatorCode.ACCESS_MODE_REPLACED)
          .hasSize(1);
      assertThat(node.mount(request)).isEqualTo(there);
      // The old mode has room for one workload, whatever was asked for.
      assertThat(node.mountFails(Node.request("vol-1", "b", mode).build()).code())
          .isEqualTo(OperatorCode.VOLUME_IN_USE);

      // A plugin that has learned the mode gets it at the next first use.
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.restart();
      assertThat(node.mount(request)).isEqualTo(there);
      assertThat(node.engine().refusal(request)).isEmpty();
      assertThat(node.unmount(Node.usage("vol-2", "a"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(Node.usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
      node.mount(request);
      assertThat(node.plugin().journal().lastCapability(CsiOperation.NODE_PUBLISH_VOLUME))
          .contains(VolumeCapability.mount(mode));
      assertThat(node.unmount(Node.usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aNodeServiceThatDoesNotExpandIsToldApartFromTheController() {
    PluginShape plain = PluginShape.nodeOnly().without(NodeCapability.EXPAND_VOLUME);
    try (Node node = Node.builder().shape(plain).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));

      VolumeException failure =
          node.fails(
              node.engine()
                  .expand(
                      ExpandRequest.of(usage("vol-1", "web"), CapacityRange.exactly(1L << 31))));

      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure.code()).isEqualTo(OperatorCode.NOT_OFFERED);
      assertThat(failure)
          .hasMessageContaining(
              ": the node service of the plugin does not offer EXPAND_VOLUME; a volume that its "
                  + "controller has expanded then needs nothing on the node; ");
      assertThat(node.verbs(VOLUME)).doesNotContain("Expand");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatIsNotSentIsNotCalledARefusalOfThePlugin() {
    PluginShape plain = PluginShape.nodeOnly().without(NodeCapability.VOLUME_MOUNT_GROUP);
    try (Node node = Node.builder().shape(plain).open()) {
      node.volume("vol-1");

      VolumeException failure =
          node.mountFails(
              Node.request("vol-1", "a", AccessMode.SINGLE_NODE_WRITER)
                  .requestOptions(MountOptions.none().withVolumeMountGroup("1000"))
                  .build());

      assertThat(failure.code()).isEqualTo(OperatorCode.NOT_OFFERED);
      assertThat(failure).hasMessageContaining("VOLUME_MOUNT_GROUP");
      assertThat(node.calls()).isEmpty();
      node.becomesClean();
    }
  }
}
