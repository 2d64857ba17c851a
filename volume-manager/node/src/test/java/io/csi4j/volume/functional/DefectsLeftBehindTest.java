package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static io.csi4j.volume.functional.Node.PLUGIN;
import static io.csi4j.volume.functional.Node.request;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.IN_PROGRESS;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.ServerState;
import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes that orchestrators have made with volumes, one test for each, named by the number it has
 * in our list or by the report of those who met it.
 */
class DefectsLeftBehindTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final AccessMode MANY = AccessMode.MULTI_NODE_MULTI_WRITER;

  @Test
  void d01_everyAttemptHasADeadlineAndThereAreAsManyAsThePolicySays() {
    try (Node node =
        Node.builder()
            .policy(
                Node.QUICK.toBuilder().attempts(3).attemptDeadline(Duration.ofMillis(150)).build())
            .open()) {
      node.volume("vol-1");
      node.plugin().inject(Fault.hang(), When.calling(NODE_STAGE_VOLUME).times(3));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.STAGE_IN_DOUBT);
      assertThat(node.verbs(VOLUME)).containsExactly("Stage", "Stage", "Stage");
      node.plugin().release();
    }
  }

  @Test
  void d02_anotherCallThatIsPendingIsWaitedForAndATimeoutIsNoFailure() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.ABORTED, "an operation is pending"),
              When.calling(NODE_STAGE_VOLUME).times(2));

      node.mount(single("vol-1", "web"));

      assertThat(node.calls())
          .containsExactly("Stage:ABORTED", "Stage:ABORTED", "Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d03_aFailedUnpublishIsAFailureThoughItsDirectoryIsGone() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin()
          .inject(
              Fault.applyThenFail(StatusCode.INTERNAL, "the export is still there"),
              When.calling(NODE_UNPUBLISH_VOLUME));

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
      assertThat(node.users(VOLUME)).containsExactly(WorkloadId.of("web"));
    }
  }

  @Test
  void d03_aSuccessIsASuccess() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.notices()).isEmpty();
    }
  }

  @Tag("F11")
  @Test
  void d04_anEmptyDirectoryOnTheHostProvesNothing() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      // The host sees no mount any more; the plugin, elsewhere, still has it and cannot be asked.
      node.kernel().host().detach(node.targetPath("vol-1", "web"));
      node.plugin()
          .inject(Fault.fail(StatusCode.UNAVAILABLE, "busy"), When.calling(NODE_UNPUBLISH_VOLUME));

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.verbs(VOLUME))
          .as("F11: an empty directory is no proof that it is unmounted")
          .doesNotContain("Unstage");
      assertThat(node.target(VOLUME, "web")).isEqualTo(PathStatus.GOING);
    }
  }

  @Test
  void d05_theWordingOfAFailureDecidesNothing() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.UNKNOWN, "umount: no mount point specified"),
              When.calling(NODE_UNPUBLISH_VOLUME));

      assertThat(node.unmountFails(usage("vol-1", "web")).code())
          .isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
      assertThat(node.verbs(VOLUME)).doesNotContain("Unstage");
    }
  }

  @Test
  void d06_aVolumeThatIsGoneEverywhereCanBeReleasedWhateverThePluginCallsIt() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.reboot(); // The mounts are gone, and the plugin knows the volume no more.

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.noticed(OperatorCode.PLUGIN_FORGOT)).isTrue();
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void d07_aDeadMountIsReleasedWithoutATouch() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().host().server(node.targetPath("vol-1", "web"), ServerState.HUNG);

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.disk().trespasses()).isEmpty();
    }
  }

  @Test
  void d08_filesThatWereWrittenUnderAMountDoNotKeepItForEver() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      MountPath target = node.targetPath("vol-1", "web");
      node.effects()
          .whenUnpublishing(
              (volume, path) -> {
                node.kernel().host().detach(target);
                node.kernel().host().file(target.resolve("core.123"), "data");
              });

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.noticed(OperatorCode.PATH_NOT_EMPTY)).isTrue();
      assertThat(node.kernel().host().content(target.resolve("core.123"))).contains("data");
      assertThat(node.users(VOLUME)).isEmpty();
      assertThat(node.mounts()).isEmpty();
      assertThat(node.verbs(VOLUME)).endsWith("Unstage");
      node.leavesSomething();
    }
  }

  @Test
  void d09_aWorkloadCountsBeforeItsFirstCall() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.plugin().inject(Fault.hang(), When.calling(NODE_PUBLISH_VOLUME).once());
      CompletableFuture<MountedVolume> coming = node.engine().mount(shared("vol-1", "b"));
      node.awaitOpen(NODE_PUBLISH_VOLUME);
      CompletableFuture<UnmountOutcome> leaving = node.engine().unmount(usage("vol-1", "a"));
      node.plugin().release();

      node.get(coming);
      assertThat(node.get(leaving)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.plugin().journal().calls(NODE_UNSTAGE_VOLUME)).isEmpty();
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad26832_operationsOfOneVolumeDoNotMix() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      for (int round = 0; round < 10; round++) {
        CompletableFuture<MountedVolume> first = node.engine().mount(shared("vol-1", "a"));
        CompletableFuture<UnmountOutcome> second = node.engine().unmount(usage("vol-1", "a"));
        CompletableFuture<MountedVolume> third = node.engine().mount(shared("vol-1", "b"));
        CompletableFuture<UnmountOutcome> fourth = node.engine().unmount(usage("vol-1", "b"));
        for (CompletableFuture<?> each : List.of(first, second, third, fourth)) {
          try {
            node.get(each);
          } catch (VolumeException e) {
            assertThat(e.code()).isEqualTo(OperatorCode.SUPERSEDED);
          }
        }
      }
      node.becomesClean();
      assertThat(node.plugin().journal().calls(VOLUME)).allMatch(call -> call.beside().isEmpty());
    }
  }

  @Test
  void nomad25813_whoUsesAVolumeIsKnownAfterARestart() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));
      node.restart();

      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.PRESENT);
      assertThat(node.mounted(node.stagingPath(VOLUME))).isTrue();
      node.restart();
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME))
          .containsExactly("Stage", "Publish", "Publish", "Unpublish", "Unpublish", "Unstage");
    }
  }

  @Test
  void d11_whoUsesAVolumeIsKnownAfterThePluginCameBackAsAnother() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));
      node.plugin().upgrade(node.plugin().shape().vendorVersion("2.0.0"));
      node.registerAll();

      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static MountRequest withFlags(String workload) {
    return request("vol-1", workload, MANY)
        .requestOptions(MountOptions.none().withFlags(MountFlags.of("noatime")))
        .build();
  }

  @Test
  void d12_equalOptionsOfTwoWorkloadsAreOneUseOfTheVolume() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(withFlags("a"));
      node.mount(withFlags("b"));

      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.plugin().journal().calls(NODE_UNSTAGE_VOLUME)).isEmpty();
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad20532_namesCountWithTheirNamespaces() {
    VolumeUse blue = VolumeUse.of(VolumeKey.of(Namespace.of("blue"), "db"), WorkloadId.of("web"));
    VolumeUse green = VolumeUse.of(VolumeKey.of(Namespace.of("green"), "db"), WorkloadId.of("web"));
    try (Node node = Node.open()) {
      VolumeId first = node.volume("vol-1");
      VolumeId second = node.volume("vol-2");
      node.mount(request(PLUGIN, blue, first, MANY).build());
      node.mount(request(PLUGIN, green, second, MANY).build());

      assertThat(node.unmount(blue)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(second)).containsExactly("Stage", "Publish");
      assertThat(node.unmount(green)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d14_askingTwiceIsOneUse() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));

      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.UNKNOWN);
      assertThat(node.engine().hasMount(usage("vol-1", "b"))).isTrue();
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d15_aStrangerIsNeverTheLast() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));

      assertThat(node.unmount(usage("vol-1", "stranger"))).isEqualTo(UnmountOutcome.UNKNOWN);
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.UNKNOWN);

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  @Tag("A19")
  void d16_aVolumeThatCouldNotBeUnstagedIsNotForgotten() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "device busy"), When.calling(NODE_UNSTAGE_VOLUME));

      VolumeException failure = node.unmountFails(usage("vol-1", "web"));

      assertThat(failure.code())
          .as("A19: a volume whose unstaging began is in doubt")
          .isEqualTo(OperatorCode.UNSTAGE_IN_DOUBT);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.restart();
      assertThat(node.staging(VOLUME)).isEqualTo(PathStatus.IN_DOUBT);
      node.plugin().clearFaults();
      node.reconcile();
      node.becomesClean();
    }
  }

  @Test
  void d17_aPublishThatFailsAfterItsStagingIsCompensated() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(Fault.fail(StatusCode.OUT_OF_RANGE, "no"), When.calling(NODE_PUBLISH_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(node.verbs(VOLUME)).endsWith("Unstage");
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void d18_readersAndWritersShareOneStagingAndOtherOptionsAreRefused() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(withFlags("a"));
      MountRequest reader =
          request("vol-1", "b", MANY)
              .requestOptions(MountOptions.none().withFlags(MountFlags.of("noatime")))
              .readOnly(true)
              .build();
      assertThat(node.mount(reader).readOnly()).isTrue();
      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME)).hasSize(1);

      VolumeException failure = node.mountFails(shared("vol-1", "c"));

      assertThat(failure.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(failure.getMessage()).contains("mount flags").doesNotContain("noatime");
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d19_namesNeverBecomePaths() {
    String hostile = "../../../etc/" + "x".repeat(200) + " %2e%2e";
    try (Node node = Node.open()) {
      VolumeId volume = node.volume("../../../etc/passwd %2e%2e");
      MountRequest request =
          request(PLUGIN, usage(hostile, "../../" + hostile), volume, MANY).build();

      Path path = node.mount(request).path();

      assertThat(path.toString()).startsWith(Node.ROOT + "/");
      assertThat(path).hasToString(path.normalize().toString());
      assertThat(path.toString().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(128);
      assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad20424_aMountThatWasThereBeforeIsNotTakenForTheVolume() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountPath target = node.targetPath("vol-1", "web");
      node.kernel().host().directory(target);
      node.kernel().host().tmpfs(target);

      node.mount(single("vol-1", "web"));

      assertThat(node.mountsAt(target)).isEqualTo(1);
      assertThat(node.kernel().table().find(target).orElseThrow().type()).hasToString("ext4");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d21_whetherAnAbsentPathIsMountedIsNoFailure() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      node.mount(single("vol-1", "web"));
      node.reboot();
      node.volume("vol-1");
      node.kernel().host().remove(node.targetPath("vol-1", "web"));

      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d22_aTableThatCannotBeReadIsNeverCalledMounted() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.kernel().failNext(KernelCall.LOOK, new Errno(5));

      assertThatThrownBy(() -> node.engine().hasMount(usage("vol-1", "web")))
          .isInstanceOf(MountException.class)
          .hasMessageContaining("EIO");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d23_aFailureGivesNoPath() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.applyThenFail(StatusCode.PERMISSION_DENIED, "no"),
              When.calling(NODE_PUBLISH_VOLUME));

      CompletableFuture<MountedVolume> mounting = node.engine().mount(single("vol-1", "web"));

      assertThat(node.fails(mounting).code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(mounting).isCompletedExceptionally();
      assertThat(node.engine().hasMount(usage("vol-1", "web"))).isFalse();
    }
  }

  @Test
  void d24_aBlockVolumeIsADevice() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountRequest request =
          request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).block(true).build();

      assertThat(node.mount(request))
          .isEqualTo(
              new MountedVolume.BlockDevice(
                  request.usage(), node.targetPath("vol-1", "web").toPath(), false));
      assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d25_okIsNotEnough() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.effects().whenPublishing(asked -> {});

      assertThat(node.mountFails(single("vol-1", "web")).code())
          .isEqualTo(OperatorCode.MOUNT_NOT_VISIBLE);
    }
  }

  @Test
  void d25_thePublishedDirectoryOfTheHostIsNoVolume() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      // Staging says OK and mounts nothing; what is published is our own empty directory.
      node.effects().whenStaging((volume, path) -> {});
      node.effects()
          .whenPublishing(
              asked -> {
                MountPath target = MountPath.of(asked.target().value());
                node.kernel().host().directory(target);
                if (!node.mounted(target)) {
                  node.kernel().host().bind(node.stagingPath(VOLUME), target);
                }
              });

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.MOUNT_NOT_VISIBLE);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void nomad20544_noDirectoryIsLeft() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));
      node.mount(shared("vol-1", "b"));
      assertThat(node.directories()).hasSize(1);
      node.unmount(usage("vol-1", "a"));
      assertThat(node.kernel().host().exists(node.targetPath("vol-1", "a").parent())).isFalse();
      node.unmount(usage("vol-1", "b"));

      assertThat(node.directories()).isEmpty();
    }
  }

  @Test
  void nomad25253_aVolumeOfANamespaceIsExpandedWhereItIsStaged() {
    VolumeUse blue = VolumeUse.of(VolumeKey.of(Namespace.of("blue"), "db"), WorkloadId.of("web"));
    try (Node node = Node.open()) {
      VolumeId volume = node.volume("vol-1");
      node.mount(request(PLUGIN, blue, volume, MANY).build());

      // The plugin grows nothing that is in use; the paths that it was asked for are what counts.
      VolumeException failure =
          node.fails(node.engine().expand(ExpandRequest.of(blue, CapacityRange.exactly(1L << 31))));

      assertThat(failure.code()).isEqualTo(OperatorCode.CALL_FAILED);
      assertThat(
              node.plugin()
                  .journal()
                  .calls(NODE_EXPAND_VOLUME)
                  .get(0)
                  .request()
                  .text("staging_target_path"))
          .isEqualTo(
              node.plugin()
                  .journal()
                  .calls(NODE_STAGE_VOLUME)
                  .get(0)
                  .request()
                  .text("staging_target_path"))
          .isEqualTo(node.stagingPath(VOLUME).toString());
      assertThat(node.unmount(blue)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad27176_whatReadsAVolumeErasesNoSecretOfIt() {
    Map<String, String> given = new HashMap<>(Map.of("token", "secret-" + Node.CANARY));
    Secrets secrets = Secrets.of(given);
    given.clear();
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountRequest request =
          request("vol-1", "web", MANY).secrets(SecretsProvider.always(secrets)).build();
      node.mount(request);
      assertThat(request.toString()).doesNotContain(Node.CANARY);
      assertThatThrownBy(() -> secrets.reveal().clear())
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
      node.mount(request);

      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME))
          .extracting(call -> call.request().map("secrets").get("token"))
          .containsExactly("secret-" + Node.CANARY, "secret-" + Node.CANARY);
      assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad8505_theTargetIsLeftToThePluginToMake() {
    List<Boolean> there = new CopyOnWriteArrayList<>();
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountPath target = node.targetPath("vol-1", "web");
      node.effects()
          .whenPublishing(
              asked -> {
                there.add(node.kernel().host().exists(target));
                there.add(node.kernel().host().exists(target.parent()));
                node.effects().honest().publish(asked);
              });

      node.mount(single("vol-1", "web"));

      assertThat(there).containsExactly(false, true);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad10158_aVolumeWhoseIdBeginsLikeAnotherIsAnother() {
    try (Node node = Node.open()) {
      VolumeId one = node.volume("vol-1");
      VolumeId ten = node.volume("vol-10");
      node.mount(single("vol-1", "web"));
      node.mount(single("vol-10", "web"));

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);

      assertThat(node.verbs(one)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(node.verbs(ten)).containsExactly("Stage", "Publish");
      assertThat(node.engine().hasMount(usage("vol-10", "web"))).isTrue();
      assertThat(node.unmount(usage("vol-10", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad12359_aPluginThatIsStrictAboutTheAuthorityOfACallIsMountedFrom() {
    try (Node node =
        Node.builder().shape(PluginShape.nodeOnly().with(Quirk.STRICT_AUTHORITY)).open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.plugin().journal().calls())
          .extracting(RecordedCall::authority)
          .containsOnly("localhost");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d27_oneCapabilityGoesWithEveryCall() {
    MountOptions ofVolume =
        MountOptions.none().withFsType("ext4").withFlags(MountFlags.of("noatime", "discard"));
    MountOptions ofRequest = MountOptions.none().withFlags(MountFlags.of("relatime"));
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountRequest request =
          request("vol-1", "web", MANY).volumeOptions(ofVolume).requestOptions(ofRequest).build();
      node.mount(request);

      VolumeCapability expected =
          VolumeCapability.mount(
              MANY, MountOptions.none().withFsType("ext4").withFlags(MountFlags.of("relatime")));
      assertThat(node.plugin().journal().lastCapability(NODE_STAGE_VOLUME)).contains(expected);
      assertThat(node.plugin().journal().lastCapability(NODE_PUBLISH_VOLUME)).contains(expected);
      assertThat(node.unmount(request.usage())).isEqualTo(UnmountOutcome.LAST);
    }
    assertThatThrownBy(
            () -> request("vol-1", "web", MANY).block(true).volumeOptions(ofVolume).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("block device");
  }

  @Test
  void d28_eventsSayWhoAndWhatAndHowLong() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.PERMISSION_DENIED, "token secret-" + Node.CANARY),
              When.calling(NODE_STAGE_VOLUME));
      node.mountFails(single("vol-1", "web"));

      assertThat(node.events().stream().filter(VolumeEvent.Ended.class::isInstance).findFirst())
          .hasValueSatisfying(
              event -> {
                VolumeEvent.Ended ended = (VolumeEvent.Ended) event;
                assertThat(ended.started().operation()).isEqualTo(VolumeEvent.Operation.MOUNT);
                assertThat(ended.started().plugin()).isEqualTo(PLUGIN);
                assertThat(ended.started().usage()).contains(usage("vol-1", "web"));
                assertThat(ended.elapsed()).isPositive();
                assertThat(ended.failure().orElseThrow().code())
                    .isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
              });
    }
  }

  @Test
  void d29_theFirstProblemIsTheOneThatIsTold() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.plugin()
          .inject(
              Fault.fail(StatusCode.OUT_OF_RANGE, "the first problem"),
              When.calling(NODE_PUBLISH_VOLUME));
      node.plugin()
          .inject(
              Fault.fail(StatusCode.INTERNAL, "the second problem"),
              When.calling(NODE_UNSTAGE_VOLUME));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.REFUSED_BY_PLUGIN);
      assertThat(failure.outcome()).isEqualTo(IN_PROGRESS);
      assertThat(failure.getMessage())
          .contains("the first problem")
          .doesNotContain("the second problem");
    }
  }

  @Test
  void d32_whetherAVolumeIsStagedIsRememberedWithTheVolume() {
    try (Node node =
        Node.builder()
            .shape(PluginShape.nodeOnly().without(NodeCapability.STAGE_UNSTAGE_VOLUME))
            .open()) {
      node.volume("vol-1");
      node.mount(single("vol-1", "web"));
      node.crash();
      node.plugin().upgrade(PluginShape.nodeOnly());
      node.start();

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(VOLUME)).containsExactly("Publish", "Unpublish");
      node.mount(single("vol-1", "web"));
      assertThat(node.verbs(VOLUME)).endsWith("Stage", "Publish");
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void d34_aDirectoryThatCannotBeMadeIsSaidWithItsPath() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.disk().refuse(DiskException.Kind.DENIED, path -> path.startsWith("/srv/csi/v"));

      VolumeException failure = node.mountFails(single("vol-1", "web"));

      assertThat(failure.code()).isEqualTo(OperatorCode.PATH_DENIED);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure.getMessage()).contains("/srv/csi/v");
      assertThat(node.calls()).isEmpty();
      node.disk().heal();
    }
  }
}
