package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_GET_CAPABILITIES;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators are told of plugins, starts and paths while volumes are in use, and how often. */
class ToldOfPluginsTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private static List<OperatorMessage> told(Node node, OperatorCode code) {
    return node.notices().stream().filter(message -> message.code() == code).toList();
  }

  @Test
  void whatAPluginCanDoIsAskedOnceAConnection() {
    try (Node node = Node.open()) {
      for (int i = 1; i <= 3; i++) {
        node.volume("vol-" + i);
        node.mount(single("vol-" + i, "web"));
      }
      int first = node.plugin().journal().calls(NODE_GET_CAPABILITIES).size();
      for (int i = 4; i <= 6; i++) {
        node.volume("vol-" + i);
        node.mount(single("vol-" + i, "web"));
      }
      assertThat(node.plugin().journal().calls(NODE_GET_CAPABILITIES)).hasSize(first);

      node.restartPlugins();
      for (int i = 7; i <= 9; i++) {
        node.volume("vol-" + i);
        node.mount(single("vol-" + i, "web"));
      }

      assertThat(node.plugin().journal().calls(NODE_GET_CAPABILITIES).size())
          .as("of another process it is not known")
          .isBetween(first + 1, first + 3);
      for (int i = 1; i <= 9; i++) {
        assertThat(node.unmount(usage("vol-" + i, "web"))).isEqualTo(UnmountOutcome.LAST);
      }
    }
  }

  /** A plugin that says that it has not the call is not believed to have it any longer. */
  @Test
  void aPluginThatLacksACallIsAskedAgain() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.plugin()
          .inject(Fault.fail(StatusCode.UNIMPLEMENTED, ""), When.calling(NODE_STAGE_VOLUME).once());
      node.mountFails(single("vol-2", "web"));
      int before = node.plugin().journal().calls(NODE_GET_CAPABILITIES).size();

      node.mount(single("vol-2", "web"));

      assertThat(node.plugin().journal().calls(NODE_GET_CAPABILITIES)).hasSize(before + 1);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void anotherProcessIsToldOncePerChange() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.restartPlugins();
      node.engine().pluginChanged(Node.PLUGIN);
      Node.eventually("it is told", () -> told(node, OperatorCode.PLUGIN_REPLACED).size() == 1);
      node.engine().pluginChanged(Node.PLUGIN);

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(told(node, OperatorCode.PLUGIN_REPLACED)).hasSize(1);
    }
  }

  @Tag("D-32")
  @Test
  void aLostCapabilityIsToldWithHowManyVolumesItIsAbout() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "web"));
      PluginShape before = node.plugin().shape();
      node.plugin().upgrade(before.without(NodeCapability.STAGE_UNSTAGE_VOLUME));
      node.engine().pluginChanged(Node.PLUGIN);

      Node.eventually("it is told", () -> !told(node, OperatorCode.CAPABILITY_LOST).isEmpty());
      assertThat(told(node, OperatorCode.CAPABILITY_LOST).get(0).line())
          .contains("STAGE_UNSTAGE_VOLUME, with which 1 volume was mounted");
      node.plugin().upgrade(before);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
    }
  }

  @Tag("C15")
  @Tag("D-32")
  @Test
  void aGainedCapabilityIsTold() {
    try (Node node =
        Node.builder()
            .shape(PluginShape.nodeOnly().without(NodeCapability.STAGE_UNSTAGE_VOLUME))
            .open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.engine().pluginChanged(Node.PLUGIN);

      Node.eventually("it is told", () -> !told(node, OperatorCode.CAPABILITY_GAINED).isEmpty());
      assertThat(told(node, OperatorCode.CAPABILITY_GAINED).get(0).line())
          .as("C15: the gained capability is told")
          .contains("STAGE_UNSTAGE_VOLUME, without which 1 volume was mounted");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).containsExactly("Publish", "Unpublish");
    }
  }

  @Tag("C17")
  @Test
  void aPluginThatIsGoneIsToldOnceWithItsVolumes() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "web"));
      node.crash();
      node.startWithoutPlugins();

      node.reconcile(new WantedUse.Requested(shared("vol-1", "web")));
      node.reconcile(new WantedUse.Requested(shared("vol-1", "web")));

      assertThat(told(node, OperatorCode.PLUGIN_GONE)).hasSize(1);
      assertThat(told(node, OperatorCode.PLUGIN_GONE).get(0).line())
          .as("C17: its volumes are listed")
          .contains("1 volume: 'vol-1'");
      VolumeException failure = node.unmountFails(usage("vol-1", "web"));
      assertThat(failure.code()).isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.calls())
          .as("C17: its volumes stay as they are")
          .containsExactly("Stage:OK", "Publish:OK");
      node.registerAll();
      node.engine().pluginChanged(Node.PLUGIN);
    }
  }

  @Test
  void theListAfterAStartNeverTouchesWhatThisProcessMounted() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.volume("vol-3");
      node.mount(single("vol-1", "found"));
      node.mount(single("vol-2", "wanted"));
      node.restart();
      node.mount(single("vol-3", "new"));

      node.settleFound(new WantedUse.Requested(single("vol-2", "wanted")));

      assertThat(node.engine().hasMount(usage("vol-1", "found"))).isFalse();
      assertThat(node.engine().hasMount(usage("vol-2", "wanted"))).isTrue();
      assertThat(node.engine().hasMount(usage("vol-3", "new"))).isTrue();
      node.reconcile(new WantedUse.Named(usage("vol-2", "wanted")));
      assertThat(node.engine().hasMount(usage("vol-3", "new"))).isFalse();
      assertThat(node.unmount(usage("vol-2", "wanted"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aListThatTakesAwayAllThatWasFoundIsRefusedUnlessItIsSaidByName() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "found"));
      node.restart();

      VolumeException failure =
          catchThrowableOfType(VolumeException.class, () -> node.engine().mustKeepSome(List.of()));

      assertThat(failure.code()).isEqualTo(OperatorCode.LIST_TAKES_ALL);
      assertThat(failure).hasMessageContaining("1 use was found mounted");
      node.engine().mustKeepSome(List.of(new WantedUse.Named(usage("vol-1", "found"))));
      node.settleFound();
      assertThat(node.engine().hasMount(usage("vol-1", "found"))).isFalse();
    }
  }

  @Test
  void aHostThatSaysNothingAfterAStartIsRemindedOnce() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "found"));
      node.restart();

      node.inTheEnd("it is told", () -> node.noticed(OperatorCode.HOST_NOT_HEARD));
      node.skip(Duration.ofHours(1));

      assertThat(told(node, OperatorCode.HOST_NOT_HEARD)).hasSize(1);
      node.settleFound();
    }
  }

  @Test
  void whatIsWantedAfterARebootIsMountedWhenItsPluginComes() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.bootHost();
      node.volume("vol-1");
      node.startWithoutPlugins();

      Reconciliation.Summary summary =
          node.reconcile(new WantedUse.Requested(single("vol-1", "web")));

      assertThat(summary.failed()).isEqualTo(1);
      assertThat(summary.left().get(0).item().usage()).contains(usage("vol-1", "web"));
      assertThat(summary.left().get(0).why().orElseThrow().code())
          .isEqualTo(OperatorCode.PLUGIN_NOT_REGISTERED);
      assertThat(summary.left().get(0).goesOn()).isTrue();
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      // By now the next try is minutes away, unless the coming of the plugin brings it on.
      for (int i = 0; i < 12; i++) {
        node.skip(Duration.ofMinutes(10));
      }
      node.registerAll();
      node.engine().pluginChanged(Node.PLUGIN);
      Node.eventually("it is mounted", () -> node.engine().hasMount(usage("vol-1", "web")));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatIsWantedIsTriedUntilItsPluginAnswersThoughNobodySaysThatItCame() {
    try (Node node = Node.builder().connecting(Duration.ofMillis(50)).open()) {
      node.volume("vol-1");
      node.crash();
      node.plugin().stop();
      node.start();

      assertThat(node.reconcile(new WantedUse.Requested(single("vol-1", "web"))).failed())
          .isEqualTo(1);
      node.plugin().start();
      node.inTheEnd("it is mounted", () -> node.engine().hasMount(usage("vol-1", "web")));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theIntervalDoublesBetweenTriesOfAWantedMountThatThePluginRefuses() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.fail(StatusCode.PERMISSION_DENIED, "no"), When.calling(NODE_STAGE_VOLUME));
      assertThat(node.reconcile(new WantedUse.Requested(single("vol-1", "web"))).failed())
          .isEqualTo(1);
      for (int tries = 1; tries <= 5; tries++) {
        node.skip(Duration.ofSeconds(1L << (tries - 1)));
        int most = tries + 1;
        Node.eventually(
            "it is tried again",
            () -> node.plugin().journal().calls(NODE_STAGE_VOLUME).size() == most);
      }

      // Half an interval is the shortest: 16 s of 32 s.
      for (int i = 0; i < 3; i++) {
        node.skip(Duration.ofSeconds(5));
      }
      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME)).hasSize(6);
      node.plugin().clearFaults();
      node.inTheEnd("it is mounted", () -> node.engine().hasMount(usage("vol-1", "web")));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatIsWantedAndGivenUpIsNotTriedAnyMore() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.crash();
      node.startWithoutPlugins();
      node.reconcile(
          new WantedUse.Requested(single("vol-1", "web")),
          new WantedUse.Requested(single("vol-2", "web")));

      node.unmount(usage("vol-1", "web"));
      node.reconcile();
      node.registerAll();
      node.engine().pluginChanged(Node.PLUGIN);
      node.skip(Duration.ofMinutes(30));

      assertThat(node.calls()).isEmpty();
      node.becomesClean();
    }
  }

  @Tag("H8")
  @Test
  void whatIsStillInUseWhenItIsUnmountedForAPluginIsToldAsThat() {
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().forceAfterRefusals(2).build()).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().forget();
      try (OpenHandle open = node.kernel().host().open(node.targetPath("vol-1", "web"))) {
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
        assertThat(open.pid()).isPositive();
      }

      assertThat(told(node, OperatorCode.UNMOUNT_FORCED)).isNotEmpty();
      assertThat(told(node, OperatorCode.LAZY_UNMOUNT_PENDING))
          .as("H8: told as detached and in use")
          .hasSize(1);
      assertThat(node.mounts()).isEmpty();
    }
  }

  @Tag("H7")
  @Test
  void aHungMountIsUnmountedForAPluginThatForgotIt() {
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().forceAfterRefusals(2).build()).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().forget();
      node.kernel().host().server(node.targetPath("vol-1", "web"), ServerState.HUNG);

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(told(node, OperatorCode.UNMOUNT_FORCED))
          .as("H7: it is told as forced")
          .hasSizeGreaterThanOrEqualTo(1);
      assertThat(node.mounts()).as("H7: nothing is mounted").isEmpty();
    }
  }

  @Tag("C13")
  @Test
  void whatAPluginForgotIsUnmountedWithoutItWhereTheHostAllowsIt() {
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().forceAfterRefusals(2).build()).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin().forget();

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.calls(VOLUME))
          .containsExactly(
              "Stage:OK",
              "Publish:OK",
              "Unpublish:NOT_FOUND",
              "Unpublish:NOT_FOUND",
              "Unstage:NOT_FOUND",
              "Unstage:NOT_FOUND");
      assertThat(told(node, OperatorCode.UNMOUNT_FORCED))
          .as("C13: unmounted without the plugin where the host allows it")
          .hasSize(2);
      assertThat(node.mounts()).isEmpty();
    }
  }

  @Test
  void withoutThatTheCommandForAPersonIsTold() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      node.plugin().forget();

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.getMessage()).contains("umount -c -l '" + target + "'");
      node.volume("vol-1");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("E4")
  @Test
  void aReleaseEndsTheMountOfItsUseThatRetries() {
    try (Node node =
        Node.builder()
            .policy(
                Node.QUICK.toBuilder()
                    .backoff(Duration.ofHours(1))
                    .backoffCap(Duration.ofHours(9))
                    .build())
            .open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.fail(StatusCode.INTERNAL, "no"), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));
      Node.eventually("it has failed once", () -> node.calls().contains("Stage:INTERNAL"));
      CompletableFuture<UnmountOutcome> releasing = node.engine().unmount(usage("vol-1", "web"));

      VolumeException failure = node.fails(mounting);
      assertThat(failure.code())
          .as("E4: the mount ends as superseded")
          .isEqualTo(OperatorCode.SUPERSEDED);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.get(releasing)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).doesNotContain("Publish");
      assertThat(node.isClean()).as("E4: nothing is mounted").isTrue();
    }
  }

  @Test
  void aReleaseEndsTheMountOfItsUseThatWaits() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).once());
      CompletableFuture<MountedVolume> first = node.engine().mount(shared("vol-1", "a"));
      node.awaitOpen(NODE_STAGE_VOLUME);
      CompletableFuture<MountedVolume> second = node.engine().mount(shared("vol-1", "b"));
      CompletableFuture<UnmountOutcome> releasing = node.engine().unmount(usage("vol-1", "b"));

      VolumeException failure = node.fails(second);
      assertThat(failure.code()).isEqualTo(OperatorCode.SUPERSEDED);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      node.plugin().release();
      node.plugin().clearFaults();
      node.get(first);
      assertThat(node.get(releasing)).isEqualTo(UnmountOutcome.UNKNOWN);
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsDoneUnderWhatSomebodyMountsOverTheRootOrAboveIt(boolean isAbove) {
    MountPath covered = isAbove ? Node.ROOT.parent() : Node.ROOT;
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.kernel().host().tmpfs(covered);

      VolumeException mounting = node.mountFails(single("vol-2", "web"));
      VolumeException releasing = node.unmountFails(usage("vol-1", "web"));

      assertThat(mounting.code()).isEqualTo(OperatorCode.ROOT_OVERMOUNTED);
      assertThat(mounting.outcome()).isEqualTo(REFUSED);
      assertThat(mounting.getMessage()).contains(covered.toString(), "tmpfs");
      assertThat(releasing.code()).isEqualTo(OperatorCode.ROOT_OVERMOUNTED);
      assertThat(releasing.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      node.kernel().host().detach(covered);
    }
  }

  @Tag("D4")
  @Test
  void aMountAtAnotherPathThanAskedIsToldAtOnce() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountPath elsewhere = node.layout().volumes().resolve("elsewhere");
      node.effects()
          .whenPublishing(
              publication -> {
                node.kernel().host().directory(elsewhere);
                if (!node.mounted(elsewhere)) {
                  node.kernel().host().tmpfs(elsewhere);
                }
              });

      assertThat(node.mountFails(single("vol-1", "web")).code())
          .as("D4: a mount elsewhere is no success")
          .isEqualTo(OperatorCode.MOUNT_NOT_VISIBLE);

      assertThat(told(node, OperatorCode.UNEXPECTED_MOUNT)).hasSize(1);
      assertThat(told(node, OperatorCode.UNEXPECTED_MOUNT).get(0).line())
          .as("D4: a mount elsewhere is reported with its path")
          .contains(elsewhere.toString());
      node.kernel().host().detach(elsewhere);
      node.kernel().host().remove(elsewhere);
    }
  }

  @Tag("A9")
  @Tag("A12")
  @Tag("A14")
  @Test
  void aStartSaysWhatItHasTakenOverAndAMountThatGoesOnIsTold() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.dieAt(CrashPoint.PUBLISH_ANSWERED);
      CompletableFuture<MountedVolume> ignored = node.engine().mount(single("vol-2", "web"));
      node.awaitDeath();
      node.start();

      assertThat(ignored).isNotDone();
      assertThat(node.report().findings())
          .as("A9 A14: what is on record and mounted is taken over")
          .extracting(OperatorMessage::code)
          .containsExactly(OperatorCode.ADOPTED, OperatorCode.WAITING_FOR_HOST);
      node.reconcile(
          new WantedUse.Requested(single("vol-1", "web")),
          new WantedUse.Requested(single("vol-2", "web")));
      assertThat(told(node, OperatorCode.RESUMED))
          .as("A12: the publish whose answer was not recorded is repeated")
          .hasSize(1);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A10")
  @Test
  void aMountThatIsTakenBackAfterAStartIsTold() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.dieAt(CrashPoint.PUBLISH_ANSWERED);
      CompletableFuture<MountedVolume> ignored = node.engine().mount(single("vol-1", "web"));
      node.awaitDeath();
      node.start();

      node.reconcile();
      node.becomesClean();
      assertThat(ignored).isNotDone();
      assertThat(told(node, OperatorCode.ROLLED_BACK))
          .as("A10: the target in doubt is taken back")
          .hasSize(1);
    }
  }

  @Tag("A15")
  @Tag("A16")
  @Test
  void aReleaseThatGoesOnAfterAStartIsTold() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.dieAt(CrashPoint.UNPUBLISH_ANSWERED);
      CompletableFuture<UnmountOutcome> ignored = node.engine().unmount(usage("vol-1", "web"));
      node.awaitDeath();
      node.start();

      node.reconcile();
      assertThat(ignored).isNotDone();
      assertThat(told(node, OperatorCode.RELEASE_RESUMED))
          .as("A15 A16: the release goes on though the host did not mention it")
          .hasSize(1);
    }
  }
}
