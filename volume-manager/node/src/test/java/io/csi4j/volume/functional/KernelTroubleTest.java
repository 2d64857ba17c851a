package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.HELD;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.OpenHandle;
import io.csi4j.testkit.mount.ServerState;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mounts that go, stay, hang or break without anybody here having asked for it. */
class KernelTroubleTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  @Test
  void aTargetThatSomebodyUnmountedIsToldAndNotMountedAgainByItself() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.start();

      assertThat(node.report().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.MOUNT_LOST);
      assertThat(node.report().inDoubt()).containsExactly(usage("vol-1", "web"));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.reconcile(new WantedUse.Named(usage("vol-1", "web")));
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");

      node.mount(single("vol-1", "web"));
      assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(1);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aTargetThatIsGoneIsNotCalledMountedAndCanBeAskedForAgain() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().detach(node.targetPath("vol-1", "web"));

      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.mount(single("vol-1", "web"));
      assertThat(node.noticed(OperatorCode.MOUNT_LOST)).isTrue();
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H1")
  @Test
  void aTargetThatSomebodyUnmountsIsToldAtOnceAndNotMountedAgainByItself() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.reconcile(new WantedUse.Requested(single("vol-1", "web")));

      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      Node.eventually("it is told", () -> node.noticed(OperatorCode.MOUNT_LOST));
      node.skip(Duration.ofHours(1));

      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.status(VOLUME).orElseThrow().trouble())
          .as("H1: reported, once")
          .hasValueSatisfying(
              trouble -> assertThat(trouble.code()).isEqualTo(OperatorCode.MOUNT_LOST));
      assertThat(node.verbs(VOLUME))
          .as("H1: not mounted again under a running workload")
          .containsExactly("Stage", "Publish");
      node.mount(single("vol-1", "web"));
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.status(VOLUME).orElseThrow().trouble()).isEmpty();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.notices().stream().filter(it -> it.code() == OperatorCode.MOUNT_LOST))
          .hasSize(1);
    }
  }

  @Tag("H1")
  @Test
  void aTargetThatSomebodyUnmountsIsMountedAgainWhereThePolicyLetsIt() {
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().onDeadMount(OnDeadMount.REPUBLISH).build())
            .open()) {
      node.volume("vol-1");
      node.reconcile();
      node.mount(single("vol-1", "web"));

      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.inTheEnd("it is mounted", () -> node.noticed(OperatorCode.MOUNT_RESTORED));

      assertThat(node.noticed(OperatorCode.MOUNT_LOST)).isTrue();
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      assertThat(node.verbs(VOLUME))
          .as("H1: mounted again where the policy says so")
          .containsExactly("Stage", "Publish", "Unpublish", "Publish");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aStagingThatSomebodyUnmountsIsToldAtOnce() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));

      node.kernel().host().detach(node.stagingPath(VOLUME));

      Node.eventually("it is told", () -> node.noticed(OperatorCode.STAGING_LOST));
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H18")
  @Test
  void nothingIsSaidToBeGoneWhileTheDirectoryOfTheManagerIsElsewhere() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      MountPath away = MountPath.of("/srv/away");
      node.kernel().host().rename(Node.ROOT, away);

      assertIsMoved(() -> node.engine().hasMount(usage("vol-1", "a")));
      VolumeException releasing = node.unmountFails(usage("vol-1", "a"));
      VolumeException mounting = node.mountFails(shared("vol-1", "b"));

      assertThat(releasing.code())
          .as("H18: a release waits, as nothing is known to be gone")
          .isEqualTo(OperatorCode.ROOT_MOVED);
      assertThat(releasing.outcome()).isEqualTo(Outcome.IN_PROGRESS);
      assertThat(mounting.code()).isEqualTo(OperatorCode.ROOT_MOVED);
      assertThat(mounting.outcome()).isEqualTo(Outcome.REFUSED);
      assertThat(mounting).hasMessageContaining("'" + Node.ROOT + "'");
      assertIsMoved(() -> node.engine().mayDetach(Node.identity(VOLUME)));
      assertThat(node.kernel().table().list().records())
          .filteredOn(mount -> mount.path().isWithin(away))
          .hasSize(2);
      assertThat(node.kernel().host().exists(Node.ROOT)).isFalse();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.noticed(OperatorCode.MOUNT_LOST)).isFalse();

      node.kernel().host().rename(away, Node.ROOT);
      node.becomesClean();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
    }
  }

  @Test
  void aDirectoryThatIsMovedWhileAReleaseLooksEndsTheReleaseWithoutAClaimThatAllIsGone() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      MountPath away = MountPath.of("/srv/away");
      node.plugin()
          .answer(
              CsiOperation.NODE_UNPUBLISH_VOLUME,
              request -> {
                node.kernel().host().rename(Node.ROOT, away);
                return Map.of();
              });

      VolumeException releasing = node.unmountFails(usage("vol-1", "a"));

      assertThat(releasing.code()).isEqualTo(OperatorCode.ROOT_MOVED);
      node.plugin().clearFaults();
      node.kernel().host().rename(away, Node.ROOT);
      node.becomesClean();
    }
  }

  private static void assertIsMoved(ThrowingCallable question) {
    VolumeException refused = catchThrowableOfType(VolumeException.class, question);
    assertThat(refused).isNotNull();
    assertThat(refused.code()).isEqualTo(OperatorCode.ROOT_MOVED);
  }

  @Tag("H14")
  @ParameterizedTest
  @ValueSource(strings = {"above", "state", "volume", "uses"})
  void whatSomebodyMountsOverADirectoryIsToldAtOnceAndNothingIsWrittenThroughIt(String which) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      MountPath covered =
          switch (which) {
            case "above" -> Node.ROOT.parent();
            case "state" -> node.layout().state();
            case "volume" -> node.layout().volume(Node.identity(VOLUME));
            default -> node.layout().uses(Node.identity(VOLUME));
          };
      node.kernel().host().directory(covered);
      node.kernel().host().tmpfs(covered);

      Node.eventually("it is told", () -> node.noticed(OperatorCode.ROOT_OVERMOUNTED));
      // Below the state there is no mount to hide.
      boolean isHidden = !which.equals("state");
      assertThat(node.engine().hasMount(usage("vol-1", "a"))).isEqualTo(!isHidden);
      assertThat(node.target(VOLUME, "a"))
          .as("H14: what is hidden is not shown as present")
          .isEqualTo(isHidden ? PathStatus.IN_DOUBT : PathStatus.PRESENT);
      assertThat(node.engine().explain("a", usage("vol-1", "a")::equals).toString())
          .contains("trouble: CSI-", "ROOT_OVERMOUNTED")
          .doesNotContain("nothing stands in the way");
      VolumeException mounting = node.mountFails(shared("vol-1", "b"));
      VolumeException releasing = node.unmountFails(usage("vol-1", "a"));

      assertThat(mounting.code())
          .as("H14: a mount is refused")
          .isEqualTo(OperatorCode.ROOT_OVERMOUNTED);
      assertThat(mounting.getMessage()).contains(covered.toString(), "tmpfs");
      assertThat(releasing.code()).isEqualTo(OperatorCode.ROOT_OVERMOUNTED);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      assertThat(node.kernel().host().names(covered))
          .as("H14: nothing is written through it")
          .isEmpty();
      node.kernel().host().detach(covered);
      node.becomesClean();
    }
  }

  @Tag("H14")
  @Test
  void whatSomebodyMountsOverATargetIsReportedAtOnceAndAllThatIsShownAgrees() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      List<PathStatus> shown = new CopyOnWriteArrayList<>();
      node.whenTold(event -> shown.add(node.target(VOLUME, "web")));
      node.kernel().host().tmpfs(target);

      Node.eventually(
          "H14: it is reported at once", () -> node.noticed(OperatorCode.FOREIGN_MOUNT));
      Node.eventually("the listener has looked", () -> !shown.isEmpty());
      assertThat(shown).as("what a listener sees").containsExactly(PathStatus.IN_DOUBT);
      node.whenTold(event -> {});
      assertThat(node.notices())
          .as("H14: a mount over a target is named")
          .filteredOn(message -> message.code() == OperatorCode.FOREIGN_MOUNT)
          .singleElement()
          .satisfies(
              message ->
                  assertThat(message.line())
                      .contains("workload 'web'", target.toString(), ": tmpfs from tmpfs"));
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.status(VOLUME).orElseThrow().trouble())
          .hasValueSatisfying(
              trouble -> assertThat(trouble.code()).isEqualTo(OperatorCode.FOREIGN_MOUNT));
      assertThat(node.engine().explain("web", usage("vol-1", "web")::equals).toString())
          .contains("perhaps published", "trouble: CSI-401 FOREIGN_MOUNT")
          .doesNotContain("nothing stands in the way");
      assertThat(node.mountFails(single("vol-1", "web")).code())
          .isEqualTo(OperatorCode.FOREIGN_MOUNT);

      node.kernel().host().detach(target);
      Node.eventually("it is seen again", () -> node.target(VOLUME, "web") == PathStatus.PRESENT);
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      node.mount(single("vol-1", "web"));
      assertThat(node.status(VOLUME).orElseThrow().trouble()).isEmpty();
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      node.kernel().host().tmpfs(target);
      Node.eventually(
          "a second one is reported",
          () ->
              node.notices().stream().filter(it -> it.code() == OperatorCode.FOREIGN_MOUNT).count()
                  == 2);
      node.kernel().host().detach(target);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H14")
  @Test
  void whatSomebodyMountsOverAStagingIsReportedAtOnce() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.kernel().host().tmpfs(node.stagingPath(VOLUME));

      Node.eventually("it is reported", () -> node.noticed(OperatorCode.FOREIGN_MOUNT));
      assertThat(node.staging(VOLUME))
          .as("H14: a covered staging is not shown as present")
          .isEqualTo(PathStatus.IN_DOUBT);
      assertThat(node.target(VOLUME, "a")).isEqualTo(PathStatus.PRESENT);
      assertThat(node.engine().hasMount(usage("vol-1", "a"))).isTrue();
      node.kernel().host().detach(node.stagingPath(VOLUME));
      Node.eventually("it is seen again", () -> node.staging(VOLUME) == PathStatus.PRESENT);
      assertThat(node.status(VOLUME).orElseThrow().trouble()).isEmpty();
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H2")
  @Test
  void aStagingThatSomebodyUnmountedIsStagedAgainForTheNextWorkload() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.kernel().host().detach(node.stagingPath(VOLUME));

      node.mount(shared("vol-1", "b"));

      assertThat(node.noticed(OperatorCode.STAGING_LOST)).as("H2: told").isTrue();
      assertThat(node.verbs(VOLUME))
          .as("H2: staged again before the next use")
          .containsExactly("Stage", "Publish", "Stage", "Publish");
      assertThat(node.mounted(node.targetPath("vol-1", "a"))).isTrue();
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aStagingThatWasLostBeforeTheStartIsTold() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.crash();
      node.kernel().host().detach(node.stagingPath(VOLUME));
      node.start();

      assertThat(node.report().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.STAGING_LOST);
      assertThat(node.report().adopted()).containsExactly(usage("vol-1", "a"));
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.mount(shared("vol-1", "b"));
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Stage", "Publish");
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H4")
  @Test
  void aTargetThatIsInUseIsReleasedWhenItIsLetGo() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      VolumeException failure;
      long pid;
      try (OpenHandle open = node.kernel().host().open(node.targetPath("vol-1", "web"))) {
        pid = open.pid();
        failure = node.unmountFails(usage("vol-1", "web"));
        assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
        assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      }

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.code()).isIn(OperatorCode.UNPUBLISH_IN_DOUBT, OperatorCode.TARGET_BUSY);
      assertThat(node.notices())
          .as("H4: told with its holders")
          .anySatisfy(
              message -> {
                assertThat(message.code()).isEqualTo(OperatorCode.TARGET_BUSY);
                assertThat(message.line()).contains(Long.toString(pid));
                assertThat(message.line()).doesNotContain("same filesystem");
              });
      node.becomesClean();
    }
  }

  @Test
  void aReleaseThatThePluginRefusesBlamesNobodyWhoDoesNotUseTheMount() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      MountPath stranger = node.kernel().host().directory(MountPath.of("/of-a-stranger"));
      node.kernel().host().bind(node.targetPath("vol-1", "web"), stranger);
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "out of order"),
              When.calling(CsiOperation.NODE_UNPUBLISH_VOLUME).times(3));

      assertThat(node.unmountFails(usage("vol-1", "web")).code())
          .isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(node.noticed(OperatorCode.TARGET_BUSY)).isFalse();
      node.kernel().host().detach(stranger);
      node.becomesClean();
    }
  }

  @Test
  void aReleaseThatThePluginNeverGotBlamesNobody() {
    try (Node node = Node.builder().connecting(Duration.ofMillis(200)).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      try (OpenHandle open = node.kernel().host().open(node.targetPath("vol-1", "web"))) {
        assertThat(open.pid()).isPositive();
        node.plugin().stop();

        assertThat(node.unmountFails(usage("vol-1", "web")).outcome()).isEqualTo(IN_PROGRESS);
        assertThat(node.noticed(OperatorCode.TARGET_BUSY)).isFalse();
      }
      node.plugin().start();
      node.becomesClean();
    }
  }

  @Test
  void aDeadFilesystemIsReleasedWithoutBeingLookedAt() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().server(node.targetPath("vol-1", "web"), ServerState.DEAD);
      node.restart();

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("H6")
  @Test
  void kubernetes31272_aHungFilesystemHoldsUpNoOtherVolumeAndNoStart() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-1", "web"));
      node.kernel().host().server(node.targetPath("vol-1", "web"), ServerState.HUNG);

      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isTrue();
      node.restart();
      assertThat(node.report().adopted())
          .as("H6: a start does not wait for it")
          .containsExactly(usage("vol-1", "web"));
      node.mount(single("vol-2", "web"));
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H17")
  @Test
  void kubernetes105323_whatCountsIsTheMountTableAndOurRecordsAndNotReferences() {
    // By default another mount keeps the staging; it is no use in any case.
    try (Node node =
        Node.builder()
            .policy(Node.QUICK.toBuilder().unstageMountedElsewhere(true).build())
            .open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      // Somebody binds the staging elsewhere: one reference more that nobody here made.
      MountPath elsewhere = node.kernel().host().directory(MountPath.of("/mnt/backup"));
      node.kernel().host().bind(node.stagingPath(VOLUME), elsewhere);

      assertThat(node.unmount(usage("vol-1", "a")))
          .as("H17: another bind of the staging is no use")
          .isEqualTo(UnmountOutcome.LAST);

      assertThat(node.plugin().journal().calls(CsiOperation.NODE_UNSTAGE_VOLUME))
          .as("H17: it is unstaged")
          .hasSize(1);
      assertThat(node.isClean()).isTrue();
      assertThat(node.mounted(elsewhere)).isTrue();
    }
  }

  @Tag("H12")
  @Test
  void aNamespaceThatIsFullIsSaidByThePlugin() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.kernel().mountMax(1);

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.getMessage())
          .as("H12: the kernel's limit shows in the plugin's words")
          .contains("as many mounts as it may");
      assertThat(node.isClean()).isTrue();
      node.kernel().mountMax(1_000);
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H14")
  @Test
  void whatSomebodyMountsOverOurStagingIsNoticedAndLeftAlone() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.kernel().host().tmpfs(node.stagingPath(VOLUME));

      VolumeException failure = node.mountFails(shared("vol-1", "b"));

      assertThat(failure.code())
          .as("H14: something over our staging is noticed")
          .isEqualTo(OperatorCode.FOREIGN_MOUNT);
      assertThat(failure.outcome()).isEqualTo(HELD);
      assertThat(failure.getMessage()).contains(": tmpfs from tmpfs").doesNotContain("[");
      assertThat(node.mountsAt(node.stagingPath(VOLUME))).isEqualTo(2);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish");
      node.restart();
      assertThat(node.report().findings())
          .extracting(OperatorMessage::code)
          .contains(OperatorCode.FOREIGN_MOUNT);
      node.kernel().host().detach(node.stagingPath(VOLUME));
      node.mount(shared("vol-1", "b"));
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("H16")
  @Test
  void aMountWhoseSourceWasDeletedCanBeReleased() {
    try (Node node = Node.builder().policy(Node.QUICK).open()) {
      node.volume("vol-1");
      MountPath source = node.kernel().host().directory(MountPath.of("/data/source"));
      node.effects()
          .whenPublishing(
              asked -> {
                MountPath target = MountPath.of(asked.target().value());
                node.kernel().host().directory(target);
                node.kernel().host().bind(source, target);
              });
      node.mount(single("vol-1", "web"));
      node.kernel().host().remove(source);
      node.restart();

      assertThat(node.mounted(node.targetPath("vol-1", "web")))
          .as("H16: it counts as mounted")
          .isTrue();
      assertThat(node.unmount(usage("vol-1", "web")))
          .as("H16: it can be released")
          .isEqualTo(UnmountOutcome.LAST);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aMountTableThatCannotBeReadStopsNothingForGood() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      // After a look at the deepest directory that fails, each directory is looked at.
      node.kernel().failNext(KernelCall.LOOK, new Errno(5));
      node.kernel().failNext(KernelCall.LOOK, new Errno(5));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.MOUNT_TABLE_UNREADABLE);
      node.becomesClean();
      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
