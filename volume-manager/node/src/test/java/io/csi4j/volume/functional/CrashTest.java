package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.mount.OpenHandle;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.StateException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that is killed at a named moment, and the one after it, over a real socket. */
class CrashTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  /** A node on which the volume is mounted. */
  private static Node mounted() {
    Node node = Node.open();
    node.volume("vol-1");
    node.mount(single("vol-1", "web"));
    return node;
  }

  /** Kills the process in an unmount, and lets the next one begin. */
  private static void dieUnmounting(Node node, CrashPoint point) {
    node.dieAt(point);
    var unused = node.engine().unmount(usage("vol-1", "web"));
    node.awaitDeath();
    node.start();
  }

  /** Kills the process in a mount, and lets the next one begin. */
  private static void dieMounting(Node node, CrashPoint point) {
    node.volume("vol-1");
    node.dieAt(point);
    var unused = node.engine().mount(single("vol-1", "web"));
    node.awaitDeath();
    List<String> before = node.calls();
    node.start();
    assertThat(node.calls()).as("opening calls nobody").isEqualTo(before);
    assertThat(node.report().going()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {"P.*"},
      mode = Mode.MATCH_ALL)
  void aMountThatIsStillWantedIsFinishedAfterTheCrash(CrashPoint point) {
    try (Node node = Node.open()) {
      dieMounting(node, point);

      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));

      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.mountsAt(node.stagingPath(VOLUME))).isEqualTo(1);
      assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(1);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unpublish", "Unstage");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {"P.*"},
      mode = Mode.MATCH_ALL)
  void nomad26831_aMountThatIsNotWantedAnyMoreIsTakenBackAfterTheCrash(CrashPoint point) {
    try (Node node = Node.open()) {
      dieMounting(node, point);

      node.skip(Duration.ofHours(1)); // However long the host takes to say what it wants.
      assertThat(node.verbs(VOLUME)).doesNotContain("Unpublish", "Unstage");
      node.reconcile();

      node.becomesClean();
    }
  }

  @Tag("A1")
  @Test
  void aMountThatWasOnlyAdmittedIsNothing() {
    try (Node node = Node.open()) {
      dieMounting(node, CrashPoint.ADMITTED);

      assertThat(node.report().volumes()).as("A1: the next start knows of nothing").isZero();
      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("A14")
  @Test
  void aFileThatIsOpenNoticesNothingOfACrash() {
    try (Node node = mounted()) {
      try (OpenHandle open = node.kernel().host().open(node.targetPath("vol-1", "web"))) {
        node.restart();

        assertThat(node.report().adopted()).containsExactly(usage("vol-1", "web"));
        assertThat(node.report().inDoubt()).isEmpty();
        assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
        node.reconcile(new WantedUse.Named(usage("vol-1", "web")));
        assertThat(node.calls())
            .as("A14: no call, and the open file stays whole")
            .containsExactly("Stage:OK", "Publish:OK");
        assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(1);
        assertThat(open.pid()).isPositive();
      }
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
        "USE_REMOVED",
        "USE_END_SAVED",
        "BEFORE_UNSTAGE",
        "UNSTAGE_ANSWERED",
        "VOLUME_REMOVED",
        "TOMBSTONE_SAVED"
      })
  void aReleaseThatWasBegunIsFinishedThoughTheHostDoesNotMentionIt(CrashPoint point) {
    try (Node node = mounted()) {
      dieUnmounting(node, point);

      node.reconcile();

      node.becomesClean();
      assertThat(node.verbs(VOLUME)).startsWith("Stage", "Publish", "Unpublish");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CrashPoint.class,
      names = {
        "RELEASE_SAVED",
        "BEFORE_UNPUBLISH",
        "UNPUBLISH_ANSWERED",
        "USE_REMOVED",
        "USE_END_SAVED",
        "BEFORE_UNSTAGE",
        "UNSTAGE_ANSWERED",
        "VOLUME_REMOVED",
        "TOMBSTONE_SAVED"
      })
  void aMountAfterACrashInTheReleaseStagesAgainWhereItHasTo(CrashPoint point) {
    try (Node node = mounted()) {
      dieUnmounting(node, point);

      node.mount(single("vol-1", "web"));

      assertThat(node.mountsAt(node.stagingPath(VOLUME))).isEqualTo(1);
      assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(1);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CsiOperation.class,
      names = {
        "NODE_STAGE_VOLUME",
        "NODE_PUBLISH_VOLUME",
        "NODE_UNPUBLISH_VOLUME",
        "NODE_UNSTAGE_VOLUME"
      })
  void aCallThatThePluginFinishesAfterTheCrashLeavesNothing(CsiOperation operation) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      boolean forward = operation == NODE_STAGE_VOLUME || operation == NODE_PUBLISH_VOLUME;
      if (!forward) {
        node.mount(single("vol-1", "web"));
      }
      node.plugin().inject(Fault.hang(), When.calling(operation).once());
      if (forward) {
        var unused = node.engine().mount(single("vol-1", "web"));
      } else {
        var unused = node.engine().unmount(usage("vol-1", "web"));
      }
      node.awaitOpen(operation);
      node.restart();
      var unused = node.engine().reconcile(List.of());
      node.plugin().release();

      node.becomesClean();
    }
  }

  @Tag("A16")
  @Test
  void aUseCountsUntilItsEndIsCertain() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));
      node.plugin().inject(Fault.hang(), When.calling(NODE_UNPUBLISH_VOLUME).once());
      var unused = node.engine().unmount(usage("vol-1", "a"));
      node.awaitOpen(NODE_UNPUBLISH_VOLUME);
      node.restart();

      assertThat(node.report().going()).containsExactly(usage("vol-1", "a"));
      assertThat(node.report().adopted()).containsExactly(usage("vol-1", "b"));
      assertThat(node.unmount(usage("vol-1", "b")))
          .as("A16: the use counts until its unpublish is confirmed")
          .isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.plugin().journal().calls(NODE_UNSTAGE_VOLUME)).isEmpty();
      node.reconcile();
      node.becomesClean();
    }
  }

  @Tag("A23")
  @Test
  void crashesInTheRecoveryOfCrashesEndCleanAsWell() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.dieAt(CrashPoint.PUBLISH_ANSWERED);
      var mounting = node.engine().mount(single("vol-1", "web"));
      node.awaitDeath();
      assertThat(mounting).isNotDone();
      for (CrashPoint point :
          List.of(
              CrashPoint.RELEASE_SAVED,
              CrashPoint.UNPUBLISH_ANSWERED,
              CrashPoint.USE_END_SAVED,
              CrashPoint.UNSTAGE_ANSWERED,
              CrashPoint.VOLUME_REMOVED)) {
        node.start();
        node.dieAt(point);
        node.reconcileUnlessKilled();
        node.inTheEnd("death at " + point, () -> node.life().isOver());
        node.awaitDeath();
      }
      node.start();
      node.reconcile();

      node.becomesClean();
      assertThat(node.isClean()).as("A23: it ends clean after six deaths").isTrue();
    }
  }

  @Tag("A25")
  @Test
  void inAnotherMountNamespaceNothingIsTakenForMounted() {
    try (Node node = mounted()) {
      node.crash();
      node.changeNamespace();
      node.start();

      assertThat(node.report().findings())
          .as("A25: the other namespace is told")
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.NAMESPACE_CHANGED);
      assertThat(node.report().adopted()).as("A25: nothing is taken over blindly").isEmpty();
      assertThat(node.report().inDoubt()).containsExactly(usage("vol-1", "web"));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK", "Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theTextOfAReconciliationCountsItsItems() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.restart();
      Reconciliation mounting =
          node.engine()
              .reconcile(
                  List.of(
                      new WantedUse.Requested(single("vol-1", "web")),
                      new WantedUse.Requested(single("vol-2", "web"))));
      node.get(mounting.done().toCompletableFuture());
      assertThat(mounting)
          .hasToString("Reconciliation[1 of 1 item tried: 1 mounted, 0 released, 0 not done]");

      node.plugin().inject(Fault.hang(), When.calling(NODE_UNPUBLISH_VOLUME));
      Reconciliation releasing = node.engine().reconcile(List.of());
      assertThat(releasing)
          .hasToString("Reconciliation[0 of 2 items tried: 0 mounted, 0 released, 0 not done]");
      node.plugin().clearFaults();
      node.plugin().release();
      node.get(releasing.done().toCompletableFuture());
      assertThat(releasing)
          .hasToString("Reconciliation[2 of 2 items tried: 0 mounted, 2 released, 0 not done]");

      node.plugin()
          .inject(Fault.fail(StatusCode.INVALID_ARGUMENT, "no"), When.calling(NODE_PUBLISH_VOLUME));
      Reconciliation refused =
          node.engine().reconcile(List.of(new WantedUse.Requested(single("vol-1", "web"))));
      node.get(refused.done().toCompletableFuture());
      assertThat(refused)
          .hasToString(
              "Reconciliation[1 of 1 item tried: 0 mounted, 0 released, 1 not done (MOUNT"
                  + " default/vol-1 by web: CSI-707 REFUSED_BY_PLUGIN, tried again in the"
                  + " background)]");
    }
  }

  @Tag("B1")
  @Test
  void kubernetes124057_afterARebootWhatIsWantedIsMountedAgainAndTheRestReleased() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      VolumeId second = node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.mount(single("vol-2", "web"));
      node.plugin().journal().clear();
      node.reboot();
      node.volume("vol-1");
      node.volume("vol-2");

      assertThat(node.report().findings())
          .as("B1: the boot is told")
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.REBOOT_DETECTED);
      assertThat(node.report().adopted()).isEmpty();
      assertThat(node.report().inDoubt())
          .containsExactlyInAnyOrder(usage("vol-1", "web"), usage("vol-2", "web"));
      assertThat(node.calls()).isEmpty();
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();

      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.calls(VOLUME)).containsExactly("Stage:OK", "Publish:OK");
      node.inTheEnd("the other is gone", () -> node.status(second).isEmpty());
      assertThat(node.calls(second))
          .as("B1: what is not wanted is undone by calls")
          .containsExactly("Unpublish:OK", "Unstage:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void afterARebootAUseThatIsOnlyNamedWaitsForItsRequest() {
    try (Node node = mounted()) {
      node.reboot();
      node.volume("vol-1");

      node.reconcile(new WantedUse.Named(usage("vol-1", "web")));
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.mounts()).isEmpty();
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("B5")
  @Test
  void anotherFilesystemAtOurPathIsNeitherAdoptedNorUnmounted() {
    try (Node node = mounted()) {
      node.crash();
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.kernel().host().tmpfs(node.targetPath("vol-1", "web"));
      node.start();

      assertThat(node.report().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.FOREIGN_MOUNT);
      assertThat(node.report().adopted()).isEmpty();
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      assertThat(node.mountFails(single("vol-1", "web")).code())
          .as("B5: another filesystem is not used")
          .isEqualTo(OperatorCode.FOREIGN_MOUNT);
      assertThat(node.unmountFails(usage("vol-1", "web")).code())
          .as("B5: another filesystem is not unmounted")
          .isEqualTo(OperatorCode.FOREIGN_MOUNT);
      node.reconcile();
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");

      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web")))
          .isIn(UnmountOutcome.LAST, UnmountOutcome.UNKNOWN);
      node.becomesClean();
    }
  }

  @Test
  void anotherFilesystemAtOurPathAfterARebootIsNeitherAdoptedNorUnmounted() {
    try (Node node = mounted()) {
      node.crash();
      node.bootHost();
      node.kernel().host().tmpfs(node.targetPath("vol-1", "web"));
      node.start();
      node.volume("vol-1");

      assertThat(node.report().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.FOREIGN_MOUNT);
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(1);
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("A21")
  @Tag("H3")
  @Test
  void aMountThatAppearsAfterTheReleaseIsTakenAwayAgain() {
    try (Node node = mounted()) {
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      node.crash();
      node.kernel().host().directory(node.targetPath("vol-1", "web"));
      node.kernel().host().directory(node.stagingPath(VOLUME));
      node.kernel().host().tmpfs(node.targetPath("vol-1", "web"));
      node.kernel().host().tmpfs(node.stagingPath(VOLUME));
      node.start();

      node.reconcile();

      node.inTheEnd("the late mounts are gone", () -> node.mounts().isEmpty());
      assertThat(node.noticed(OperatorCode.ORPHAN_CLEANED))
          .as("H3: the late mount is told as taken away")
          .isTrue();
      assertThat(node.verbs(VOLUME))
          .as("A21: the late mount is unpublished as the volume that it was")
          .containsExactly("Stage", "Publish", "Unpublish", "Unstage", "Unpublish", "Unstage");
    }
  }

  /** Mounts and unmounts a use beside others, whose mount the plugin makes after that. */
  private static MountPath lateMount(Node node) {
    node.mount(shared("vol-1", "web"));
    assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.NOT_LAST);
    MountPath late = node.targetPath("vol-1", "web");
    node.kernel().host().directory(late);
    node.kernel().host().bind(node.stagingPath(VOLUME), late);
    return late;
  }

  @Test
  void aMountThatAppearsBesideALivingUseGoesWithTheNextRelease() {
    try (Node node = Node.open()) {
      node.reconcile();
      node.volume("vol-1");
      node.mount(shared("vol-1", "stays"));
      node.mount(shared("vol-1", "other"));
      MountPath late = lateMount(node);

      assertThat(node.unmount(usage("vol-1", "other"))).isEqualTo(UnmountOutcome.NOT_LAST);

      node.inTheEnd("the late mount is gone", () -> !node.mounted(late));
      assertThat(node.target(VOLUME, "stays")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.unmount(usage("vol-1", "stays"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMountThatAppearsBesideALivingUseWaitsForTheHost(boolean isMountedAgain) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "stays"));
      MountPath late = lateMount(node);

      node.skip(Duration.ofMinutes(30));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.UNKNOWN);
      assertThat(node.unmount(usage("vol-1", "stays")))
          .as("something is mounted for it")
          .isEqualTo(UnmountOutcome.NOT_LAST);
      node.skip(Duration.ofMinutes(30));
      assertThat(node.mounted(late)).as("the host has not said what it wants").isTrue();
      assertThat(node.mounted(node.stagingPath(VOLUME))).isTrue();

      if (isMountedAgain) {
        node.mount(shared("vol-1", "web"));
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      } else {
        node.reconcile();
      }
      node.becomesClean();
    }
  }

  @Test
  void directoriesThatAppearAfterTheReleaseAreTakenAwayWhenItsTimeIsOver() {
    try (Node node = mounted()) {
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.directories()).isEmpty();
      node.reconcile();
      node.kernel().host().directory(node.targetPath("vol-1", "web"));
      node.kernel().host().directory(node.stagingPath(VOLUME));

      node.inTheEnd("the directories are gone", () -> node.directories().isEmpty());
      node.inTheEnd("that is told", () -> node.noticed(OperatorCode.ORPHAN_CLEANED));
    }
  }

  @Test
  void aReleaseThatTheDiskForgotIsNotTakenForAUse() {
    try (Node node = mounted()) {
      node.medium().refuse(StateException.Reason.JOURNAL_SYNC_FAILED);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      node.crash();
      node.medium().accept();
      node.start();

      assertThat(node.report().adopted()).isEmpty();
      assertThat(node.report().inDoubt()).containsExactly(usage("vol-1", "web"));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.reconcile();
      node.becomesClean();
    }
  }
}
