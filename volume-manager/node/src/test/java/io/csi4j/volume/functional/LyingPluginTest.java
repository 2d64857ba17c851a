package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.effects.NodeEffects.Publication;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are not true, or not what was asked for. */
class LyingPluginTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private static MountPath path(Publication publication) {
    return MountPath.of(publication.target().value());
  }

  /** Makes the plugin publish so, whatever it is asked for. */
  private static void publishReadOnly(Node node, boolean readOnly) {
    NodeEffects honest = node.effects().honest();
    node.effects()
        .whenPublishing(
            asked ->
                honest.publish(
                    new Publication(asked.volume(), asked.target(), asked.block(), readOnly)));
  }

  /** A mount that ends with nothing mounted, for this reason. */
  private static VolumeException refused(Node node, MountRequest request, OperatorCode code) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.outcome()).isEqualTo(REFUSED);
    return failure;
  }

  @Tag("D1")
  @Test
  void okWithoutAMountIsNotBelievedAndNamesThePropagation() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects().whenPublishing(publication -> {});

      VolumeException failure =
          refused(node, single("vol-1", "web"), OperatorCode.MOUNT_NOT_VISIBLE);

      assertThat(failure.code())
          .as("D1: OK without a mount is no success")
          .isEqualTo(OperatorCode.MOUNT_NOT_VISIBLE);
      assertThat(failure.getMessage()).contains("NodePublishVolume", "nothing is mounted");
      assertThat(failure.operatorMessage().next().text()).contains("rshared");
      assertThat(node.verbs(VOLUME))
          .containsExactly("Stage", "Publish", "Publish", "Publish", "Unpublish", "Unstage");
      assertThat(node.isClean()).as("D1: it is undone").isTrue();
    }
  }

  @Test
  void kubernetes79980_aPluginThatNeedNotMountIsBelieved() {
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().requireMount(false).build()).open()) {
      node.volume("vol-1");
      node.effects()
          .whenPublishing(publication -> node.kernel().host().directory(path(publication)));

      MountedVolume mounted = node.mount(single("vol-1", "web"));

      assertThat(mounted.path()).isEqualTo(node.targetPath("vol-1", "web").toPath());
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isFalse();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aPluginThatNeedNotMountHasToMakeSomething() {
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().requireMount(false).build()).open()) {
      node.volume("vol-1");
      node.effects().whenPublishing(publication -> {});

      VolumeException failure =
          refused(node, single("vol-1", "web"), OperatorCode.MOUNT_NOT_VISIBLE);

      assertThat(failure.getMessage()).contains("NodePublishVolume", "created nothing at the path");
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void stagingIsOnlyAMountWhereThePluginHasToMakeOne() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects().whenStaging((volume, path) -> {});

      node.mount(single("vol-1", "web"));

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("D2")
  @Test
  void moosefs34_okToUnpublishWhileItIsStillMountedIsNotBelieved() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.effects().whenUnpublishing((volume, path) -> {});

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code())
          .as("D2: OK to unpublish is not believed")
          .isEqualTo(OperatorCode.STILL_MOUNTED);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.getMessage())
          .contains("umount -c '" + node.targetPath("vol-1", "web") + "'");
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.PRESENT);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      assertThat(node.mountFails(single("vol-1", "next")).code())
          .isEqualTo(OperatorCode.VOLUME_IN_USE);
      node.effects().reform();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  /**
   * So does csi-driver-host-path if it is killed after it has mounted, before it remembers that.
   */
  @Test
  void hostpath_whatAPluginDoesNotRememberIsUnmountedWhereTheHostAllowsIt() {
    MountPolicy forcing = Node.QUICK.toBuilder().forceAfterRefusals(2).build();
    try (Node node = Node.builder().policy(forcing).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.effects().whenUnpublishing((volume, path) -> {});

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.calls(VOLUME))
          .containsExactly(
              "Stage:OK",
              "Publish:OK",
              "Unpublish:OK",
              "Unpublish:OK",
              "Unpublish:OK",
              "Unstage:OK");
      assertThat(node.mounts()).isEmpty();
    }
  }

  @Tag("D2")
  @Test
  void okToUnstageWhileItIsStillMountedIsNotBelieved() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.effects().whenUnstaging((volume, path) -> {});

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code())
          .as("D2: OK to unstage is not believed")
          .isEqualTo(OperatorCode.STILL_MOUNTED);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.getMessage()).contains("umount -c '" + node.stagingPath(VOLUME) + "'");
      assertThat(node.users(VOLUME)).isEmpty();
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.effects().reform();
      node.mount(single("vol-1", "next"));
      assertThat(node.unmount(usage("vol-1", "next"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("D3")
  @Test
  void aRefusalOfWhatWasDoneIsReversedBeforeItIsForgotten() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.applyThenFail(StatusCode.INVALID_ARGUMENT, "not like this"),
              When.calling(NODE_PUBLISH_VOLUME));

      refused(node, single("vol-1", "web"), OperatorCode.REFUSED_BY_PLUGIN);

      assertThat(node.calls())
          .as("D3: what was done and refused is undone")
          .containsExactly("Stage:OK", "Publish:INVALID_ARGUMENT", "Unpublish:OK", "Unstage:OK");
      assertThat(node.isClean()).isTrue();
    }
  }

  /** The answer to the undoing, and what that leaves. */
  @ParameterizedTest
  @CsvSource({
    "UNKNOWN, FAILED_IN_DOUBT, OK, REFUSED, NONE",
    "UNKNOWN, FAILED_IN_DOUBT, INTERNAL, IN_PROGRESS, GOING",
    "UNKNOWN, FAILED_IN_DOUBT, INVALID_ARGUMENT, HELD, GOING",
    "INVALID_ARGUMENT, REFUSED_BY_PLUGIN, OK, REFUSED, NONE",
    "INVALID_ARGUMENT, REFUSED_BY_PLUGIN, INTERNAL, IN_PROGRESS, GOING",
    "INVALID_ARGUMENT, REFUSED_BY_PLUGIN, INVALID_ARGUMENT, HELD, GOING"
  })
  void theCodeOfAFailedMountTellsWhatHappenedAndItsOutcomeWhatIsLeft(
      StatusCode publish,
      OperatorCode code,
      StatusCode unpublish,
      VolumeException.Outcome outcome,
      PathStatus left) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.fail(publish, "no"), When.calling(NODE_PUBLISH_VOLUME));
      if (unpublish != StatusCode.OK) {
        node.plugin().inject(Fault.fail(unpublish, "no"), When.calling(NODE_UNPUBLISH_VOLUME));
      }

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(code);
      assertThat(failure.outcome()).isEqualTo(outcome);
      assertThat(node.target(VOLUME, "web")).isEqualTo(left);
      assertThat(node.isClean()).isEqualTo(outcome == VolumeException.Outcome.REFUSED);
      node.plugin().clearFaults();
      if (outcome == VolumeException.Outcome.HELD) {
        // The caller asks again, as a person has looked.
        node.excuse(80);
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      }
    }
  }

  @Tag("D3")
  @Test
  void anErrorOfWhatWasDoneIsInDoubtUntilItIsUndone() {
    try (Node node = Node.builder().policy(Node.QUICK.toBuilder().attempts(1).build()).open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.applyThenFail(StatusCode.INTERNAL, "no"),
              When.calling(NODE_STAGE_VOLUME).once());
      node.plugin()
          .inject(
              Fault.applyThenFail(StatusCode.INTERNAL, "no"),
              When.calling(NODE_PUBLISH_VOLUME).once());

      assertThat(node.mountFails(single("vol-1", "web")).code())
          .as("D3: the staging that was done is told as failed")
          .isEqualTo(OperatorCode.FAILED_IN_DOUBT);
      assertThat(node.mountFails(single("vol-1", "web")).code())
          .as("D3: the publish that was done is told as failed")
          .isEqualTo(OperatorCode.FAILED_IN_DOUBT);

      node.becomesClean();
      assertThat(node.calls())
          .as("D3: both are undone before the volume is forgotten")
          .containsExactly(
              "Stage:INTERNAL",
              "Unstage:OK",
              "Stage:OK",
              "Publish:INTERNAL",
              "Unpublish:OK",
              "Unstage:OK");
    }
  }

  @Test
  void aMountAtAnotherPathThanAskedIsFoundByTheNextStart() {
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

      VolumeException failure = node.mountFails(single("vol-1", "web"));
      assertThat(failure.code()).isEqualTo(OperatorCode.MOUNT_NOT_VISIBLE);
      node.restart();

      assertThat(node.report().findings())
          .anySatisfy(
              message -> {
                assertThat(message.code())
                    .isIn(OperatorCode.UNEXPECTED_MOUNT, OperatorCode.UNKNOWN_MOUNT);
                assertThat(message.line()).contains(elsewhere.toString());
              });
      node.reconcile();
      assertThat(node.mounted(elsewhere)).isTrue();
      node.kernel().host().detach(elsewhere);
      node.kernel().host().remove(elsewhere);
    }
  }

  @Tag("D5")
  @Test
  void aWritableMountForWhoMayOnlyReadIsTakenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      publishReadOnly(node, false);
      MountRequest request =
          Node.request("vol-1", "web", AccessMode.MULTI_NODE_MULTI_WRITER).readOnly(true).build();

      assertThat(node.mountFails(request).code())
          .as("D5: writable where read-only was asked for")
          .isEqualTo(OperatorCode.MOUNT_FLAGS_DIFFER);

      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(node.isClean()).isTrue();
      node.effects().reform();
      assertThat(node.mount(request).readOnly()).isTrue();
      assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("D5")
  @Test
  void aReadOnlyMountForWhoHasToWriteIsTakenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      publishReadOnly(node, true);

      assertThat(node.mountFails(single("vol-1", "web")).code())
          .as("D5: read-only where writable was asked for")
          .isEqualTo(OperatorCode.MOUNT_FLAGS_DIFFER);

      assertThat(node.isClean()).isTrue();
    }
  }

  @Tag("D6")
  @Test
  void mountsOnTopOfEachOtherAreAllTakenAway() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects()
          .whenPublishing(
              asked -> {
                node.effects().honest().publish(asked);
                node.kernel().host().bind(node.stagingPath(VOLUME), path(asked));
                node.kernel().host().bind(node.stagingPath(VOLUME), path(asked));
              });
      node.effects()
          .whenUnpublishing(
              (volume, path) -> {
                MountPath target = MountPath.of(path.value());
                if (node.mountsAt(target) > 1) {
                  node.kernel().host().detach(target);
                } else {
                  node.effects().honest().unpublish(volume, path);
                }
              });
      node.mount(single("vol-1", "web"));
      assertThat(node.mountsAt(node.targetPath("vol-1", "web"))).isEqualTo(3);
      assertThat(node.noticed(OperatorCode.STACKED_MOUNTS)).as("D6: all are counted").isTrue();

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.verbs(VOLUME))
          .as("D6: all are taken away")
          .containsExactly("Stage", "Publish", "Unpublish", "Unpublish", "Unpublish", "Unstage");
    }
  }

  @Tag("D7")
  @Test
  void aFileWhereADeviceWasAskedForIsTakenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects().whenPublishing(asked -> node.kernel().host().file(path(asked)));

      assertThat(node.mountFails(block()).code())
          .as("D7: a file is no device")
          .isEqualTo(OperatorCode.NOT_A_DEVICE);

      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(node.isClean()).as("D7: it is undone").isTrue();
    }
  }

  @Tag("D7")
  @Test
  void aDirectoryWhereADeviceWasAskedForIsTakenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects().whenPublishing(asked -> node.kernel().host().directory(path(asked)));

      assertThat(node.mountFails(block()).code())
          .as("D7: a directory is no device")
          .isEqualTo(OperatorCode.NOT_A_DEVICE);

      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aDeviceWhereADeviceWasAskedForIsGiven() {
    try (Node node = Node.open()) {
      node.volume("vol-1");

      MountedVolume mounted = node.mount(block());

      assertThat(mounted).isInstanceOf(MountedVolume.BlockDevice.class);
      assertThat(mounted.path()).isEqualTo(node.targetPath("vol-1", "web").toPath());
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("D8")
  @Test
  void aDeviceThatIsAnotherOneThanWasStagedIsTakenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      NodeEffects honest = node.effects().honest();
      node.effects()
          .whenPublishing(
              asked -> {
                honest.publish(asked);
                node.kernel().host().detach(node.stagingPath(VOLUME));
                node.kernel().host().tmpfs(node.stagingPath(VOLUME));
              });

      VolumeException failure = node.mountFails(block());

      assertThat(failure.code())
          .as("D8: another device than was staged is refused")
          .isEqualTo(OperatorCode.DEVICE_CHANGED);
      assertThat(node.target(VOLUME, "web")).isNotEqualTo(PathStatus.PRESENT);
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.effects().reform();
      node.becomesClean();
    }
  }

  @Tag("D8")
  @Test
  void theDeviceOfAnotherVolumeIsTakenBackAndBothAreNamed() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      NodeEffects honest = node.effects().honest();
      MountPath first = node.targetPath("vol-1", "web");
      node.mount(block());
      node.effects().whenPublishing(asked -> bound(node, first, node.targetPath("vol-2", "db")));

      VolumeException failure =
          node.mountFails(
              Node.request("vol-2", "db", AccessMode.SINGLE_NODE_WRITER).block(true).build());

      assertThat(failure.code())
          .as("D8: the device of another volume is refused")
          .isEqualTo(OperatorCode.DEVICE_CHANGED);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure)
          .hasMessageContaining("volume 'vol-2'")
          .hasMessageContaining(
              ", but the device is in use by volume 'vol-1' of" + " plugin 'fake.csi4j.example'");
      assertThat(node.mounted(first)).isTrue();
      assertThat(node.mounted(node.targetPath("vol-2", "db"))).isFalse();
      node.effects().whenPublishing(honest::publish);
      node.mount(Node.request("vol-2", "db", AccessMode.SINGLE_NODE_WRITER).block(true).build());
      assertThat(node.unmount(usage("vol-2", "db"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void theMountsOfTheMachineAreListedForNoMountAndNoRelease() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.volume("vol-3");
      int before = node.life().listings();
      node.mount(single("vol-2", "db"));
      node.mount(Node.request("vol-3", "job", AccessMode.SINGLE_NODE_WRITER).block(true).build());
      node.mount(block());
      for (VolumeUse usage :
          List.of(usage("vol-1", "web"), usage("vol-3", "job"), usage("vol-2", "db"))) {
        assertThat(node.unmount(usage)).isEqualTo(UnmountOutcome.LAST);
      }

      assertThat(node.life().listings()).isEqualTo(before);
    }
  }

  @Test
  void anotherDeviceThanAnotherUseOfTheVolumeHasIsTakenBack() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      NodeEffects honest = node.effects().honest();
      node.mount(Node.request("vol-2", "db", AccessMode.SINGLE_NODE_WRITER).block(true).build());
      MountPath other = node.targetPath("vol-2", "db");
      node.mount(sharedBlock("web"));
      MountPath elsewhere = MountPath.of("/elsewhere");
      bound(node, other, elsewhere);
      assertThat(node.unmount(usage("vol-2", "db"))).isEqualTo(UnmountOutcome.LAST);
      node.effects()
          .whenPublishing(asked -> bound(node, elsewhere, node.targetPath("vol-1", "job")));

      VolumeException failure = node.mountFails(sharedBlock("job"));

      assertThat(failure.code()).isEqualTo(OperatorCode.DEVICE_CHANGED);
      assertThat(failure)
          .hasMessageContaining(", and workload 'web' has device ")
          .hasMessageContaining(" for the same volume");
      node.effects().whenPublishing(honest::publish);
      node.mount(sharedBlock("job"));
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterARebootOrANewAttachAnotherDeviceOfTheVolumeIsLawful(boolean reboots) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      MountPath one = disk(node);
      MountPath two = disk(node);
      Map<VolumeId, MountPath> attached = new ConcurrentHashMap<>();
      attached.put(VOLUME, one);
      attached.put(VolumeId.of("vol-2"), two);
      node.effects()
          .whenPublishing(asked -> bound(node, attached.get(asked.volume()), path(asked)));
      MountRequest other =
          Node.request("vol-2", "db", AccessMode.SINGLE_NODE_WRITER).block(true).build();
      node.mount(sharedBlock("web"));
      node.mount(other);

      if (reboots) {
        node.reboot();
        node.volume("vol-1");
        node.volume("vol-2");
      } else {
        assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
        assertThat(node.unmount(usage("vol-2", "db"))).isEqualTo(UnmountOutcome.LAST);
      }
      // Each volume has the number that the other one had.
      attached.put(VOLUME, two);
      attached.put(VolumeId.of("vol-2"), one);

      assertThat(node.mount(sharedBlock("web"))).isInstanceOf(MountedVolume.BlockDevice.class);
      assertThat(node.mount(other)).isInstanceOf(MountedVolume.BlockDevice.class);
      assertThat(node.mount(sharedBlock("job"))).isInstanceOf(MountedVolume.BlockDevice.class);
      assertThat(node.noticed(OperatorCode.DEVICE_CHANGED)).isFalse();
      assertThat(node.unmount(usage("vol-1", "job"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.unmount(usage("vol-2", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  /** A disk of the host that is no volume yet. */
  private static MountPath disk(Node node) {
    DeviceId device = node.kernel().host().disk("ext4");
    return node.kernel().host().device(MountPath.of("/dev/csi4j/disk-" + device.minor()), device);
  }

  private static void bound(Node node, MountPath device, MountPath at) {
    node.kernel().host().bind(device, node.kernel().host().file(at));
  }

  private static void shows(Node node, MountPath directory) {
    node.effects()
        .whenPublishing(
            asked ->
                node.kernel().host().bind(directory, node.kernel().host().directory(path(asked))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/etc", "/etc/ssh", "/run", "/srv/csi", "/srv/csi/state"})
  void aDirectoryOfTheHostIsNoVolume(String directory) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      shows(node, node.kernel().host().directory(MountPath.of(directory)));

      VolumeException failure =
          refused(node, single("vol-1", "web"), OperatorCode.MOUNT_IS_NOT_ITS_OWN);

      assertThat(failure)
          .hasMessageContaining(
              directory.startsWith("/srv")
                  ? "shows the directory of the manager, /srv/csi"
                  : "shows the host's " + (directory.startsWith("/etc") ? "/etc" : directory));
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aStackOfManyMountsIsToldOnceWithItsNumberAndReleasedByTheCallsOfAnyOther() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects()
          .whenPublishing(
              asked -> {
                node.effects().honest().publish(asked);
                for (int i = 1; i < 200; i++) {
                  node.kernel().host().bind(node.stagingPath(VOLUME), path(asked));
                }
              });
      node.effects()
          .whenUnpublishing(
              (volume, path) -> {
                for (int i = 1; i < 200; i++) {
                  node.kernel().host().detach(MountPath.of(path.value()));
                }
                node.effects().honest().unpublish(volume, path);
              });
      node.mount(single("vol-1", "web"));

      assertThat(node.notices())
          .filteredOn(it -> it.code() == OperatorCode.STACKED_MOUNTS)
          .singleElement()
          .satisfies(it -> assertThat(it.line()).contains("200 mounts are on top of each other"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
    }
  }

  @Test
  void noDirectoryInAVolumeIsEverLookedIntoHoweverMuchIsInIt() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      for (int i = 0; i < 1_000; i++) {
        node.kernel().host().file(target.resolve("endless/" + i), "more");
      }
      node.restart();
      node.mount(single("vol-1", "web"));
      node.engine().explain("vol-1", use -> true);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.disk().trespasses()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theMountOfAnotherVolumeIsNoVolume(boolean isKnownFromBefore) {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.volume("vol-2");
      node.mount(single("vol-2", "db"));
      if (isKnownFromBefore) {
        node.restart();
      }
      shows(node, node.targetPath("vol-2", "db"));

      VolumeException failure =
          refused(node, single("vol-1", "web"), OperatorCode.MOUNT_IS_NOT_ITS_OWN);

      assertThat(failure)
          .hasMessageContaining("shows volume 'vol-2' of plugin 'fake.csi4j.example'");
      assertThat(node.mounted(node.targetPath("vol-2", "db"))).isTrue();
      assertThat(node.unmount(usage("vol-2", "db"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aDirectoryOfTheHostsDiskIsToldOncePerPluginAndRefusedWhereThePolicySaysSo() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      shows(node, node.kernel().host().directory(MountPath.of("/var/lib/host-path/vol-1")));

      node.mount(single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      node.mount(single("vol-1", "web"));

      assertThat(node.notices())
          .filteredOn(it -> it.code() == OperatorCode.HOST_DISK_SHOWN)
          .singleElement()
          .satisfies(
              it ->
                  assertThat(it.line())
                      .contains("is /var/lib/host-path/vol-1 on a disk of the host"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
    try (Node node =
        Node.builder().policy(Node.QUICK.toBuilder().refuseHostDisk(true).build()).open()) {
      node.volume("vol-1");
      shows(node, node.kernel().host().directory(MountPath.of("/var/lib/host-path/vol-1")));

      assertThat(refused(node, single("vol-1", "web"), OperatorCode.MOUNT_IS_NOT_ITS_OWN))
          .hasMessageContaining(", which the policy of the plugin refuses");
    }
  }

  @Test
  void mountFlagsThatLimitAreLookedAt() {
    MountFlags flags = MountFlags.of("nosuid", "nodev", "noatime", "token=" + Node.CANARY);
    try (Node node = Node.open()) {
      node.volume("vol-1");

      VolumeException failure =
          refused(
              node,
              Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER)
                  .requestOptions(MountOptions.none().withFlags(flags))
                  .build(),
              OperatorCode.MOUNT_FLAGS_DIFFER);

      assertThat(failure)
          .hasMessageContaining(
              "the mount flags nodev, nosuid were requested, but it is mounted without");
      assertThat(node.isClean()).isTrue();
    }
  }

  private static MountRequest sharedBlock(String workload) {
    return Node.request("vol-1", workload, AccessMode.MULTI_NODE_MULTI_WRITER).block(true).build();
  }

  private static MountRequest block() {
    return Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).block(true).build();
  }

  @Tag("D9")
  @Test
  void okThatComesAfterOurCancelIsNoSuccess() {
    try (Node node =
        Node.builder()
            .policy(
                Node.QUICK.toBuilder().attemptDeadline(Duration.ofMillis(200)).attempts(1).build())
            .open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());

      VolumeException failure = node.mountFails(single("vol-1", "web"));
      assertThat(failure.code()).isEqualTo(OperatorCode.PUBLISH_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      node.plugin().release(); // It does the work, and says OK to nobody.
      Node.eventually("the late mount", () -> node.mounted(node.targetPath("vol-1", "web")));

      assertThat(node.target(VOLUME, "web")).isNotEqualTo(PathStatus.PRESENT);
      assertThat(node.engine().hasMount(usage("vol-1", "web")))
          .as("D9: the late answer is no success")
          .isFalse();
      node.becomesClean();
    }
  }

  @Tag("D10")
  @Test
  void aFailureWithoutWordsSaysSo() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.fail(StatusCode.INVALID_ARGUMENT, ""), When.calling(NODE_STAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.getMessage())
          .as("D10: the absence of words is said")
          .contains("INVALID_ARGUMENT", "the plugin's message")
          .doesNotContain("null");
    }
  }

  @Tag("D10")
  @Test
  void theWordsOfAPluginAreCutAndMadePrintable() {
    String words = "bad\u0000\u001b[31m\n" + "x".repeat(5_000);
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.fail(StatusCode.INVALID_ARGUMENT, words), When.calling(NODE_STAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.getMessage())
          .as("D10: the plugin's words are printable")
          .contains("bad")
          .doesNotContain("\u0000", "\u001b", "\n");
      assertThat(failure.getMessage())
          .as("D10: the plugin's words are cut")
          .doesNotContain("x".repeat(1_100));
      assertThat(failure.getMessage().length()).isLessThan(4_000);
    }
  }

  @Test
  void theWordsOfAPluginAreTakenForNothingElse() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "web"));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "no mount point; volume not found; OK"),
              When.calling(NODE_UNPUBLISH_VOLUME));

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
    }
  }

  @Test
  void aSecretThatThePluginRepeatsGoesNoFurther() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.UNAUTHENTICATED, "wrong token secret-" + Node.CANARY),
              When.calling(NODE_STAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.getMessage()).contains("wrong token").doesNotContain(Node.CANARY);
    }
  }
}
