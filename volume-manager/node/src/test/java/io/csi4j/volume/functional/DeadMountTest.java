package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.OpenHandle;
import io.csi4j.testkit.mount.ServerState;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mounts whose server ends with the plugin: found, told once, and made anew by policy. */
class DeadMountTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private static Node open(OnDeadMount policy) {
    return open(policy, PluginShape.nodeOnly());
  }

  /** A plugin that serves each target by itself. */
  private static Node openUnstaged(OnDeadMount policy) {
    return open(policy, PluginShape.nodeOnly().without(NodeCapability.STAGE_UNSTAGE_VOLUME));
  }

  private static Node open(OnDeadMount policy, PluginShape shape) {
    Node node =
        Node.builder()
            .shape(shape)
            .policy(Node.QUICK.toBuilder().onDeadMount(policy).build())
            .open();
    node.volume("vol-1");
    return node;
  }

  /** Another process is the plugin, and what the one before served is dead. */
  private static void die(Node node, MountPath... served) {
    for (MountPath path : served) {
      node.kernel().host().server(path, ServerState.DEAD);
    }
    node.restartPlugins();
    node.engine().pluginChanged(Node.PLUGIN);
  }

  private static List<OperatorMessage> told(Node node, OperatorCode code) {
    return node.notices().stream().filter(message -> message.code() == code).toList();
  }

  private static boolean isDead(Node node, MountPath path) {
    return node.engine().volumes().isEmpty() || node.sightings(path).get(0).broken();
  }

  @Test
  void byDefaultADeadMountIsToldOnceAndLeftToItsWorkload() {
    try (Node node = open(OnDeadMount.REPORT)) {
      node.mount(single("vol-1", "web"));

      die(node, node.targetPath("vol-1", "web"));
      Node.eventually("it is told", () -> !told(node, OperatorCode.MOUNT_DEAD).isEmpty());
      node.engine().pluginChanged(Node.PLUGIN);
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      node.skip(Duration.ofHours(1));

      assertThat(told(node, OperatorCode.MOUNT_DEAD)).hasSize(1);
      assertThat(told(node, OperatorCode.MOUNT_DEAD).get(0).line())
          .contains("CSI-421 MOUNT_DEAD", "vol-1", "workload 'web'", "REPORT");
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.DEAD);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H6")
  @Test
  void aMountWhoseServerDoesNotAnswerIsToldAndLeft() {
    try (Node node = open(OnDeadMount.REPUBLISH)) {
      node.mount(single("vol-1", "web"));
      node.life().silent(node.targetPath("vol-1", "web"));

      node.engine().pluginChanged(Node.PLUGIN);
      Node.eventually("it is told", () -> node.noticed(OperatorCode.MOUNT_UNRESPONSIVE));

      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.noticed(OperatorCode.MOUNT_UNRESPONSIVE)).as("H6: it is told").isTrue();
      assertThat(node.target(VOLUME, "web")).as("H6: left as it is").isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H6")
  @Test
  void aMountWhoseServerDoesNotAnswerAMountIsHandedOutAndReportedOnceUntilItAnswers() {
    try (Node node = open(OnDeadMount.REPUBLISH)) {
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      node.life().silent(target);

      node.mount(single("vol-1", "web"));
      assertThat(told(node, OperatorCode.MOUNT_UNRESPONSIVE))
          .as("H6: the mount that has asked reports it")
          .hasSize(1);
      node.mount(single("vol-1", "web"));
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));

      assertThat(told(node, OperatorCode.MOUNT_UNRESPONSIVE))
          .as("H6: a mount that does not answer is reported, once")
          .singleElement()
          .satisfies(
              message ->
                  assertThat(message.line())
                      .contains("CSI-414 MOUNT_UNRESPONSIVE", "vol-1", "workload 'web'"));
      assertThat(node.status(VOLUME).orElseThrow().trouble())
          .hasValueSatisfying(
              trouble -> assertThat(trouble.code()).isEqualTo(OperatorCode.MOUNT_UNRESPONSIVE));
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");

      node.life().answering(target);
      node.engine().pluginChanged(Node.PLUGIN);
      Node.eventually("it is well", () -> node.status(VOLUME).orElseThrow().trouble().isEmpty());
      node.life().silent(target);
      node.mount(single("vol-1", "web"));
      assertThat(told(node, OperatorCode.MOUNT_UNRESPONSIVE)).hasSize(2);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static Optional<OperatorCode> trouble(Node node) {
    return node.status(VOLUME).orElseThrow().trouble().map(OperatorMessage::code);
  }

  @Test
  void whatIsRefusedAndLeavesNothingIsNoTroubleOfTheVolumeAndHidesNoDeadMount() {
    PluginShape plain = PluginShape.nodeOnly().without(NodeCapability.EXPAND_VOLUME);
    try (Node node = open(OnDeadMount.REPORT, plain)) {
      node.mount(single("vol-1", "web"));
      ExpandRequest larger =
          ExpandRequest.of(usage("vol-1", "web"), CapacityRange.exactly(1L << 31));

      assertThat(node.fails(node.engine().expand(larger)).code())
          .isEqualTo(OperatorCode.NOT_OFFERED);
      assertThat(trouble(node)).isEmpty();
      assertThat(node.mountFails(single("vol-1", "db")).code())
          .isEqualTo(OperatorCode.VOLUME_IN_USE);
      assertThat(trouble(node)).isEmpty();
      die(node, node.targetPath("vol-1", "web"));
      Node.eventually("it is told", () -> !told(node, OperatorCode.MOUNT_DEAD).isEmpty());
      assertThat(node.fails(node.engine().expand(larger)).code())
          .isEqualTo(OperatorCode.NOT_OFFERED);

      assertThat(trouble(node)).contains(OperatorCode.MOUNT_DEAD);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aServerThatIsFoundDeadAfterAMountDidNotWaitForItIsReported() {
    try (Node node = open(OnDeadMount.REPORT)) {
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      node.life().slow(target);

      CompletableFuture<MountedVolume> mount = node.engine().mount(single("vol-1", "web"));
      node.skip(Duration.ofSeconds(2));
      assertThat(node.get(mount).path()).isEqualTo(target.toPath());
      node.kernel().host().server(target, ServerState.DEAD);
      node.life().answer(target, Sighting.Health.DEAD);

      Node.eventually("it is told", () -> !told(node, OperatorCode.MOUNT_DEAD).isEmpty());
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.DEAD);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H5")
  @Test
  void aDeadMountIsNeitherCalledHealthyNorHandedOut() {
    try (Node node = open(OnDeadMount.REPORT)) {
      node.mount(single("vol-1", "web"));
      die(node, node.targetPath("vol-1", "web"));
      Node.eventually("it is told", () -> !told(node, OperatorCode.MOUNT_DEAD).isEmpty());

      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.DEAD);
      assertThat(node.status(VOLUME).orElseThrow().trouble())
          .hasValueSatisfying(
              trouble -> assertThat(trouble.code()).isEqualTo(OperatorCode.MOUNT_DEAD));
      assertThat(node.engine().explain("web", usage("vol-1", "web")::equals).toString())
          .contains("published, and dead", "trouble: CSI-421 MOUNT_DEAD")
          .doesNotContain("nothing stands in the way");
      VolumeException failure = node.mountFails(single("vol-1", "web"));
      assertThat(failure.code())
          .as("H5: a dead mount is not handed out")
          .isEqualTo(OperatorCode.MOUNT_DEAD);
      assertThat(failure.outcome()).isEqualTo(VolumeException.Outcome.HELD);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");

      assertThat(node.unmount(usage("vol-1", "web")))
          .as("H5: a dead mount can be released")
          .isEqualTo(UnmountOutcome.LAST);
      node.mount(single("vol-1", "web"));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aMountThatDiedUnnoticedIsMadeAgainWhenItIsAskedForWhereThePolicyLetsIt() {
    try (Node node = openUnstaged(OnDeadMount.REPUBLISH)) {
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      node.kernel().host().server(target, ServerState.DEAD);

      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.mount(single("vol-1", "web"));

      assertThat(isDead(node, target)).isFalse();
      assertThat(node.calls(VOLUME)).containsExactly("Publish:OK", "Unpublish:OK", "Publish:OK");
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whereItIsToBeLeftNobodyLooksForIt() {
    try (Node node = open(OnDeadMount.LEAVE)) {
      node.mount(single("vol-1", "web"));

      die(node, node.targetPath("vol-1", "web"));
      Node.eventually("the process", () -> !told(node, OperatorCode.PLUGIN_REPLACED).isEmpty());
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));

      assertThat(told(node, OperatorCode.MOUNT_DEAD)).isEmpty();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H5")
  @Test
  void aDeadTargetIsPublishedAgainAtTheSamePath() {
    try (Node node = openUnstaged(OnDeadMount.REPUBLISH)) {
      node.reconcile();
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");

      die(node, target);
      node.inTheEnd("it is well", () -> !told(node, OperatorCode.MOUNT_RESTORED).isEmpty());
      Node.eventually("it has ended", () -> node.openOperations().isEmpty());

      assertThat(isDead(node, target)).isFalse();
      assertThat(node.calls(VOLUME)).containsExactly("Publish:OK", "Unpublish:OK", "Publish:OK");
      assertThat(told(node, OperatorCode.MOUNT_DEAD)).hasSize(1);
      assertThat(told(node, OperatorCode.MOUNT_RESTORED))
          .as("H5: made again where the policy says so")
          .hasSize(1);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(
              node.events().stream()
                  .filter(VolumeEvent.Ended.class::isInstance)
                  .map(VolumeEvent.Ended.class::cast)
                  .filter(end -> end.started().operation() == VolumeEvent.Operation.REPAIR))
          .singleElement()
          .satisfies(
              end -> {
                assertThat(end.failure()).isEmpty();
                assertThat(end.started().usage()).contains(usage("vol-1", "web"));
              });
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatWasServedAtTheStagingPathIsStagedAgainWhenAllItsTargetsAreGone() {
    try (Node node = open(OnDeadMount.REMOUNT)) {
      node.reconcile();
      node.mount(shared("vol-1", "web"));
      node.mount(shared("vol-1", "db"));

      die(
          node,
          node.stagingPath(VOLUME),
          node.targetPath("vol-1", "web"),
          node.targetPath("vol-1", "db"));
      node.inTheEnd("both are well", () -> told(node, OperatorCode.MOUNT_RESTORED).size() == 2);

      assertThat(node.verbs(VOLUME))
          .containsExactly(
              "Stage",
              "Publish",
              "Publish",
              "Unpublish",
              "Unpublish",
              "Unstage",
              "Stage",
              "Publish",
              "Publish");
      assertThat(isDead(node, node.targetPath("vol-1", "web"))).isFalse();
      assertThat(isDead(node, node.targetPath("vol-1", "db"))).isFalse();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aMountThatSomebodyTookAwayIsMadeAnewWithThoseThatDied() {
    try (Node node = open(OnDeadMount.REMOUNT)) {
      node.reconcile();
      node.mount(shared("vol-1", "web"));
      node.mount(shared("vol-1", "db"));
      node.kernel().host().detach(node.targetPath("vol-1", "db"));

      die(node, node.stagingPath(VOLUME), node.targetPath("vol-1", "web"));
      node.inTheEnd(
          "both are well",
          () ->
              told(node, OperatorCode.MOUNT_RESTORED).size() >= 2
                  && node.openOperations().isEmpty()
                  && isAlive(node, node.targetPath("vol-1", "web"))
                  && isAlive(node, node.targetPath("vol-1", "db")));

      assertThat(told(node, OperatorCode.MOUNT_LOST)).hasSize(1);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static boolean isAlive(Node node, MountPath path) {
    return node.mounted(path) && !isDead(node, path);
  }

  @Test
  void aWorkloadWhoseMountWorksKeepsTheVolumeStaged() {
    try (Node node = open(OnDeadMount.REMOUNT)) {
      node.reconcile();
      node.mount(shared("vol-1", "web"));
      node.effects()
          .whenPublishing(
              publication -> {
                MountPath own = node.targetPath("vol-1", "db");
                if (!node.mounted(own)) {
                  node.kernel().host().directory(own);
                  node.kernel().host().tmpfs(own);
                }
              });
      node.mount(shared("vol-1", "db"));

      die(node, node.targetPath("vol-1", "db"));
      node.inTheEnd("it is well", () -> !told(node, OperatorCode.MOUNT_RESTORED).isEmpty());

      assertThat(node.verbs(VOLUME))
          .containsExactly("Stage", "Publish", "Publish", "Unpublish", "Publish");
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void afterARestartOfTheManagerTheRequestOfTheHostIsWaitedForAndUsed() {
    try (Node node = openUnstaged(OnDeadMount.REPUBLISH)) {
      node.mount(single("vol-1", "web"));
      node.kernel().host().server(node.targetPath("vol-1", "web"), ServerState.DEAD);
      node.restart();

      node.reconcile(new WantedUse.Named(usage("vol-1", "web")));
      Node.eventually("it is told", () -> !told(node, OperatorCode.REQUEST_NEEDED).isEmpty());
      node.skip(Duration.ofHours(1));
      assertThat(told(node, OperatorCode.MOUNT_DEAD)).hasSize(1);
      assertThat(told(node, OperatorCode.REQUEST_NEEDED)).hasSize(1);
      assertThat(node.verbs(VOLUME)).containsExactly("Publish");

      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      node.inTheEnd("it is well", () -> !told(node, OperatorCode.MOUNT_RESTORED).isEmpty());
      assertThat(node.verbs(VOLUME)).containsExactly("Publish", "Unpublish", "Publish");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  /** From now on the plugin answers OK to every release and unmounts nothing. */
  private static void leaveAll(Node node) {
    node.effects().whenUnpublishing((volume, path) -> {});
    node.effects().whenUnstaging((volume, path) -> {});
  }

  @Test
  void aDeadMountThatThePluginLeavesIsUnmountedByUs() {
    try (Node node = open(OnDeadMount.REPORT)) {
      node.mount(single("vol-1", "web"));
      leaveAll(node);
      die(node, node.stagingPath(VOLUME), node.targetPath("vol-1", "web"));

      try (OpenHandle open = node.kernel().host().open(node.targetPath("vol-1", "web"))) {
        assertThat(open.pid()).isPositive();
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      }
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(told(node, OperatorCode.UNMOUNT_FORCED)).hasSize(2);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void whereWeMayNotUnmountADeadMountTheCommandIsSaid() {
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().unmountDead(DeadUnmount.NEVER).build())
            .open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      leaveAll(node);
      MountPath target = node.targetPath("vol-1", "web");
      die(node, target);

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.STILL_MOUNTED);
      assertThat(failure.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
      assertThat(failure.getMessage()).contains("umount -c -l '" + target + "'");
      assertThat(told(node, OperatorCode.UNMOUNT_FORCED)).isEmpty();
      node.kernel().host().detach(target);
      node.effects().reform();
      node.becomesClean();
    }
  }

  @Tag("H4")
  @Test
  void aDeadMountInUseThatMayNotBeDetachedIsToldWithItsHolder() {
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().unmountDead(DeadUnmount.PLAIN).build())
            .open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      leaveAll(node);
      MountPath target = node.targetPath("vol-1", "web");
      die(node, target);
      VolumeException failure;
      long pid;
      try (OpenHandle open = node.kernel().host().open(target)) {
        pid = open.pid();
        failure = node.unmountFails(usage("vol-1", "web"));
      }

      assertThat(failure.code()).as("H4: a busy mount is told").isEqualTo(OperatorCode.TARGET_BUSY);
      assertThat(failure.outcome()).isEqualTo(VolumeException.Outcome.IN_PROGRESS);
      assertThat(failure.getMessage())
          .contains("process " + pid, "umount -c -l '" + target + "'")
          .doesNotContain("same filesystem");
      node.becomesClean();
    }
  }

  @Test
  void somethingElseOverADeadMountIsNotUnmounted() {
    try (Node node = open(OnDeadMount.REPORT)) {
      node.mount(single("vol-1", "web"));
      leaveAll(node);
      MountPath target = node.targetPath("vol-1", "web");
      die(node, target);
      node.kernel().host().tmpfs(target);

      assertThat(node.unmountFails(usage("vol-1", "web")).code())
          .isEqualTo(OperatorCode.FOREIGN_MOUNT);
      assertThat(node.mountsAt(target)).isEqualTo(2);
      node.kernel().host().detach(target);
      node.effects().reform();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = OnDeadMount.class,
      names = {"REPUBLISH", "REMOUNT"})
  void allUsesOfADeadStagingAreRepairedThoughThePluginLeavesEveryMount(OnDeadMount policy) {
    try (Node node = open(policy)) {
      node.reconcile();
      node.mount(shared("vol-1", "web"));
      node.mount(shared("vol-1", "db"));
      leaveAll(node);

      die(
          node,
          node.stagingPath(VOLUME),
          node.targetPath("vol-1", "web"),
          node.targetPath("vol-1", "db"));
      node.inTheEnd("both are well", () -> told(node, OperatorCode.MOUNT_RESTORED).size() == 2);

      assertThat(node.verbs(VOLUME))
          .containsExactly(
              "Stage",
              "Publish",
              "Publish",
              "Unpublish",
              "Unpublish",
              "Unstage",
              "Stage",
              "Publish",
              "Publish");
      assertThat(isDead(node, node.targetPath("vol-1", "web"))).isFalse();
      assertThat(isDead(node, node.targetPath("vol-1", "db"))).isFalse();
      node.effects().reform();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aUseThatCannotBeRepairedIsNamedWithItsPathAndTheOthersAreRepaired() {
    try (Node node =
        Node.builder()
            .shape(PluginShape.nodeOnly().without(NodeCapability.STAGE_UNSTAGE_VOLUME))
            .policy(
                Node.QUICK.toBuilder()
                    .onDeadMount(OnDeadMount.REPUBLISH)
                    .unmountDead(DeadUnmount.NEVER)
                    .build())
            .open()) {
      node.volume("vol-1");
      node.reconcile();
      node.effects()
          .whenPublishing(
              publication -> {
                MountPath at = MountPath.of(publication.target().value());
                if (!node.mounted(at)) {
                  node.kernel().host().directory(at);
                  node.kernel().host().tmpfs(at);
                }
              });
      node.mount(shared("vol-1", "db"));
      node.mount(shared("vol-1", "web"));
      MountPath first = node.targetPath("vol-1", "db");
      node.effects()
          .whenUnpublishing(
              (volume, path) -> {
                MountPath at = MountPath.of(path.value());
                if (!at.equals(first) && node.mounted(at)) {
                  node.kernel().host().detach(at);
                }
              });

      die(node, first, node.targetPath("vol-1", "web"));
      node.inTheEnd("one is well", () -> told(node, OperatorCode.MOUNT_RESTORED).size() == 1);
      Node.eventually("the repair has ended", () -> !repairs(node).isEmpty());

      assertThat(isDead(node, node.targetPath("vol-1", "web"))).isFalse();
      assertThat(repairs(node).get(0).line())
          .contains("STILL_MOUNTED", "workload 'db'", "umount -c -l '" + first + "'");
      node.effects().reform();
      node.kernel().host().detach(first);
      node.inTheEnd("both are well", () -> told(node, OperatorCode.MOUNT_RESTORED).size() == 2);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  /** The messages with which repairs have failed. */
  private static List<OperatorMessage> repairs(Node node) {
    return node.events().stream()
        .filter(VolumeEvent.Ended.class::isInstance)
        .map(VolumeEvent.Ended.class::cast)
        .filter(end -> end.started().operation() == VolumeEvent.Operation.REPAIR)
        .flatMap(end -> end.failure().stream())
        .toList();
  }

  @Test
  void aRepairThatFailsKeepsTheUseAndIsTriedAgain() {
    try (Node node = openUnstaged(OnDeadMount.REPUBLISH)) {
      node.reconcile();
      node.mount(single("vol-1", "web"));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "no"),
              When.calling(CsiOperation.NODE_PUBLISH_VOLUME).times(4));

      die(node, node.targetPath("vol-1", "web"));
      node.inTheEnd(
          "the first repair has failed", () -> node.target(VOLUME, "web") == PathStatus.IN_DOUBT);
      assertThat(node.mountFails(single("vol-1", "other")).code())
          .isEqualTo(OperatorCode.VOLUME_IN_USE);
      node.inTheEnd("it is well", () -> !told(node, OperatorCode.MOUNT_RESTORED).isEmpty());

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {
        "RELEASE_SAVED",
        "BEFORE_UNPUBLISH",
        "UNPUBLISH_ANSWERED",
        "USE_END_SAVED",
        "BEFORE_UNSTAGE",
        "UNSTAGE_ANSWERED",
        "INTENT_SAVED",
        "BEFORE_STAGE",
        "STAGED_SAVED",
        "BEFORE_PUBLISH",
        "PUBLISHED_SAVED"
      })
  void aCrashInTheMiddleOfARepairLosesNoUse(CrashPoint point) {
    try (Node node = open(OnDeadMount.REMOUNT)) {
      node.reconcile();
      node.mount(single("vol-1", "web"));
      node.dieAt(point);

      die(node, node.stagingPath(VOLUME), node.targetPath("vol-1", "web"));
      for (int i = 0; i < 10 && !node.life().isOver(); i++) {
        node.skip(Duration.ofSeconds(5));
      }
      node.awaitDeath();
      node.start();

      assertThat(node.users(VOLUME)).hasSize(1);
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      node.inTheEnd(
          "it is well",
          () ->
              node.target(VOLUME, "web") == PathStatus.PRESENT
                  && !isDead(node, node.targetPath("vol-1", "web")));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
