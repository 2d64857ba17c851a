package io.csi4j.testkit.internal.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Open;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.testkit.internal.backend.Refusal;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.DutyId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The life of volumes that are directories, over a real socket, with real mounts. */
@MountTest
class HostPathLifeTest {

  @Test
  void aVolumeLivesFromItsCreationToItsDeletionAndLeavesNothing(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      assertThat(rig.context(volume).reveal()).containsEntry("medium", "disk");
      rig.stage(volume, Rig.MOUNT);
      rig.publish(volume, Rig.MOUNT, "one", false);
      rig.publish(volume, Rig.MOUNT, "two", true);

      Files.writeString(rig.file("one").resolve("f"), "kept");

      assertThat(rig.file("two").resolve("f")).hasContent("kept");
      assertThatThrownBy(() -> Files.writeString(rig.file("two").resolve("g"), "no"))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("Read-only file system");
      assertThat(rig.mounts())
          .containsExactlyInAnyOrder(
              rig.staging(volume).value(), rig.target("one").value(), rig.target("two").value());

      rig.unpublish(volume, "one");
      assertThat(rig.file("one")).doesNotExist();
      assertThat(rig.file("two").resolve("f")).hasContent("kept");
      rig.release(volume, "two");
      rig.delete(volume);

      assertThat(rig.mounts()).isEmpty();
      assertThat(Rig.tree(rig.data()))
          .containsExactly("holder", "lock", "snapshots", "state", "volumes", "work");
    }
    assertThat(scratch.file("data/holder")).doesNotExist();
  }

  @Test
  void aVolumeThatIsAddedIsThereOnceAndKeepsItsFilesFromRunToRun(Scratch scratch) throws Exception {
    VolumeId volume = VolumeId.of("vol-1");
    try (Rig rig = Rig.open(scratch)) {
      rig.plugin().addVolume(volume);
      rig.stage(volume, Rig.MOUNT);
      rig.publish(volume, Rig.MOUNT, "one", false);
      Files.writeString(rig.file("one").resolve("f"), "kept");
      rig.release(volume, "one");

      rig.reopen();
      rig.plugin().addVolume(volume);

      assertThat(rig.plugin().contents().volumes()).containsExactly(volume);
      rig.stage(volume, Rig.MOUNT);
      rig.publish(volume, Rig.MOUNT, "one", false);
      assertThat(rig.file("one").resolve("f")).hasContent("kept");
      rig.release(volume, "one");
      rig.delete(volume);
      assertThat(Rig.tree(rig.data().resolve("volumes"))).isEmpty();
    }
  }

  @Test
  void everyStepCanBeRepeated(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      assertThat(rig.create("db")).isEqualTo(volume);
      rig.stage(volume, Rig.MOUNT);
      rig.stage(volume, Rig.MOUNT);
      rig.publish(volume, Rig.MOUNT, "one", false);
      rig.publish(volume, Rig.MOUNT, "one", false);
      assertThat(rig.mounts()).hasSize(2);
      rig.unpublish(volume, "one");
      rig.unpublish(volume, "one");
      rig.unstage(volume);
      rig.unstage(volume);
      rig.delete(volume);
      rig.delete(volume);
      assertThat(rig.mounts()).isEmpty();
    }
  }

  @Test
  void thePluginMayStartAnewBetweenAllSteps(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      rig.reopen();
      rig.stage(volume, Rig.MOUNT);
      rig.plugin().restart();
      rig.reopen();
      rig.publish(volume, Rig.MOUNT, "one", false);
      Files.writeString(rig.file("one").resolve("f"), "kept");
      rig.reopen();
      assertThat(rig.plugin().contents().published()).hasSize(1);
      assertThat(rig.plugin().contents().staged()).hasSize(1);
      rig.unpublish(volume, "one");
      rig.reopen();
      rig.publish(volume, Rig.MOUNT, "one", false);
      assertThat(rig.file("one").resolve("f")).hasContent("kept");
      // The volume came before the last start: that is not in the journal, and held against nobody.
      assertThat(rig.plugin().verdict().broken())
          .doesNotContain(DutyId.of(25), DutyId.of(139), DutyId.of(261));
      rig.unpublish(volume, "one");
      rig.reopen();
      rig.unstage(volume);
      rig.reopen();
      rig.delete(volume);
      rig.reopen();

      assertThat(rig.plugin().contents().volumes()).isEmpty();
      assertThat(rig.mounts()).isEmpty();
      assertThat(Rig.tree(rig.data().resolve("volumes"))).isEmpty();
    }
  }

  @Test
  void theIdOfADeletedVolumeIsNotGivenOutAgainByTheNextProcess(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId first = rig.create("a");
      rig.delete(first);
      rig.reopen();
      assertThat(rig.create("a")).isNotEqualTo(first);
    }
  }

  @Test
  void mountsThatAreGoneAfterAStartAreForgotten(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path path = rig.use(volume, Rig.MOUNT, "one");
      Files.writeString(path.resolve("f"), "kept");
      rig.close();
      // What a reboot leaves.
      scratch.rawUnmount(MountPath.of(path), 0);
      scratch.rawUnmount(MountPath.of(rig.staging(volume).value()), 0);

      rig.reopen();

      assertThat(rig.plugin().contents().idle()).isTrue();
      assertThat(refusal(() -> rig.publish(volume, Rig.MOUNT, "one", false)))
          .isEqualTo(StatusCode.FAILED_PRECONDITION);
      assertThat(rig.use(volume, Rig.MOUNT, "one").resolve("f")).hasContent("kept");
      rig.release(volume, "one");
      rig.delete(volume);
    }
  }

  @Test
  void aStagingThatIsGoneWhileThePluginRunsIsNotPublishedAsAnEmptyDirectory(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      rig.stage(volume, Rig.MOUNT);
      scratch.rawUnmount(MountPath.of(rig.staging(volume).value()), 0);

      assertThat(refusal(() -> rig.publish(volume, Rig.MOUNT, "one", false)))
          .isEqualTo(StatusCode.FAILED_PRECONDITION);

      assertThat(rig.file("one")).doesNotExist();
      rig.stage(volume, Rig.MOUNT);
      rig.publish(volume, Rig.MOUNT, "one", false);
    }
  }

  @Test
  void aForeignMountAtTheTargetIsRefusedAndNotHarmed(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      rig.stage(volume, Rig.MOUNT);
      scratch.tmpfs("targets/one");
      Files.writeString(rig.file("one").resolve("foreign"), "stays");

      CsiException published =
          catchThrowableOfType(
              CsiException.class, () -> rig.publish(volume, Rig.MOUNT, "one", false));
      CsiException unpublished =
          catchThrowableOfType(CsiException.class, () -> rig.unpublish(volume, "one"));

      assertThat(published.code()).isEqualTo(StatusCode.INTERNAL);
      assertThat(published).hasMessageContaining("tmpfs");
      assertThat(unpublished.code()).isEqualTo(StatusCode.INTERNAL);
      assertThat(unpublished).hasMessageContaining("something else is mounted there");
      assertThat(rig.file("one").resolve("foreign")).hasContent("stays");
    }
  }

  @Test
  void aTargetInUseIsNotUnpublishedAndItsUserIsNamed(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path path = rig.use(volume, Rig.MOUNT, "one");
      Files.writeString(path.resolve("f"), "open");
      try (Open open = Open.reading(MountPath.of(path.resolve("f")))) {
        assertThat(open.number()).isPositive();

        CsiException busy =
            catchThrowableOfType(CsiException.class, () -> rig.unpublish(volume, "one"));

        assertThat(busy.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
        assertThat(busy).hasMessageContaining("process " + ProcessHandle.current().pid());
        assertThat(path.resolve("f")).hasContent("open");
      }
      rig.unpublish(volume, "one");
      assertThat(path).doesNotExist();
    }
  }

  @Test
  void aTargetThatHoldsFilesIsLeftAsItIs(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      scratch.file("targets/one/not-of-the-volume", "stays");

      assertThat(refusal(() -> rig.unpublish(volume, "one"))).isEqualTo(StatusCode.INTERNAL);

      assertThat(rig.file("one").resolve("not-of-the-volume")).hasContent("stays");
    }
  }

  @Test
  void symbolicLinksOfTheCallerAreNotFollowed(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      rig.stage(volume, Rig.MOUNT);
      scratch.directory("elsewhere");
      scratch.directory("targets");
      Files.createSymbolicLink(rig.file("one"), scratch.file("elsewhere"));

      assertThat(refusal(() -> rig.publish(volume, Rig.MOUNT, "one", false)))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(refusal(() -> rig.unpublish(volume, "one")))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);

      assertThat(rig.file("one")).isSymbolicLink();
      assertThat(scratch.rows(scratch.path("elsewhere"))).isEmpty();
    }
  }

  @Test
  void noPathOfTheCallerMayBeInThePluginsDirectory(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      rig.stage(volume, Rig.MOUNT);

      assertThat(refusal(() -> rig.publish(volume, Rig.MOUNT, rig.data() + "/new", false)))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(refusal(() -> rig.unpublish(volume, rig.data() + "/work")))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(rig.data().resolve("work")).isDirectory();
    }
  }

  @Test
  void aVolumeThatIsMountedBehindThePluginIsNotDeleted(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path content = rig.data().resolve("volumes").resolve(volume.value()).resolve("disk");
      scratch.bind(MountPath.of(content), scratch.directory("hidden"));

      assertThat(refusal(() -> rig.delete(volume))).isEqualTo(StatusCode.FAILED_PRECONDITION);

      scratch.rawUnmount(scratch.path("hidden"), 0);
      rig.delete(volume);
      assertThat(content).doesNotExist();
    }
  }

  @Test
  void aVolumeWhoseBytesWereRemovedCanStillBeTakenAway(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      rig.use(volume, Rig.MOUNT, "one");
      Files.delete(rig.data().resolve("volumes").resolve(volume.value()).resolve("disk"));
      Files.delete(rig.data().resolve("volumes").resolve(volume.value()));

      assertThat(refusal(() -> rig.publish(volume, Rig.MOUNT, "two", false)))
          .isEqualTo(StatusCode.INTERNAL);
      rig.reopen();
      rig.release(volume, "one");
      rig.delete(volume);

      assertThat(rig.mounts()).isEmpty();
    }
  }

  @Test
  void lostBytesAreToldAsDataLossByControllerAndNode(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      VolumeId other = rig.create("other");
      assertThat(rig.controllerHealth(volume)).isEmpty();
      Files.delete(rig.data().resolve("volumes").resolve(volume.value()).resolve("disk"));
      Files.delete(rig.data().resolve("volumes").resolve(volume.value()));

      VolumeHealthEntry lost =
          VolumeHealthEntry.of(
              VolumeHealthEntry.Status.DATA_LOSS,
              HealthReason.of("BytesMissing"),
              "The directory or file that holds the volume is gone.");
      assertThat(rig.controllerHealth(volume)).containsExactly(lost);
      assertThat(rig.nodeHealth(volume)).containsExactly(lost);
      assertThat(rig.controllerHealth(other)).isEmpty();
      assertThat(rig.nodeHealth(other)).isEmpty();
    }
  }

  @Test
  void whoMayNotMountIsToldSo(Scratch scratch) throws Exception {
    List<String> limits = new ArrayList<>();
    Throwable[] refused = new Throwable[1];
    Thread powerless =
        new Thread(
            () -> {
              LibcForTests.dropCapabilities();
              Mounts mounts = Mounts.system(new MountSettings(Duration.ofSeconds(30), 1));
              try (HostPathStorage storage =
                  HostPathStorage.open(scratch.file("data"), mounts, MountTable.system())) {
                Exception failure =
                    catchThrowableOfType(
                        Exception.class,
                        () -> {
                          storage.load();
                          storage.create(
                              Volume.newBuilder().setVolumeId("vol-1").build(),
                              io.csi4j.client.internal.proto.CreateVolumeRequest
                                  .getDefaultInstance());
                          storage.publish(
                              NodePublishVolumeRequest.newBuilder()
                                  .setVolumeId("vol-1")
                                  .setTargetPath(scratch.path("target").toString())
                                  .build());
                        });
                refused[0] = storage.refusal("Publishing the volume 'vol-1'", failure);
                limits.addAll(storage.limits());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    powerless.start();
    powerless.join();

    assertThat(refused[0])
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("CAP_SYS_ADMIN")
        .hasMessageContaining("EPERM");
    assertThat(limits.get(0)).startsWith("Nothing can be staged or published here: ");
    assertThat(scratch.file("target")).doesNotExist();
  }

  @Test
  void aFilesystemOfAnotherTypeIsRefused(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeCapability ext4 = with(MountOptions.none().withFsType("ext4"));

      assertThat(refusal(() -> rig.create("db", ext4, Map.of())))
          .isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }

  @Test
  void mountFlagsHoldAtTheTargetAndUnknownOnesAreRefusedWithoutTheirValue(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      VolumeCapability noexec =
          with(MountOptions.none().withFlags(MountFlags.of("noexec", "nodev")));
      VolumeId volume = rig.create("db", noexec, Map.of());
      rig.use(volume, noexec, "one");

      assertThat(scratch.rows(scratch.path("targets/one")).get(0)).contains("nodev,noexec");

      VolumeCapability odd =
          with(MountOptions.none().withFlags(MountFlags.of("password=hunter2", "ro")));
      CsiException refused =
          catchThrowableOfType(CsiException.class, () -> rig.create("odd", odd, Map.of()));
      assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
      assertThat(refused).hasMessageContaining("password=…").hasMessageNotContaining("hunter2");
    }
  }

  @Test
  void theStatisticsAreThoseOfTheVolume(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      VolumeId volume = rig.create("db");
      Path path = rig.use(volume, Rig.MOUNT, "one");
      Files.write(path.resolve("f"), new byte[1000]);
      Files.createDirectory(path.resolve("d"));
      Files.createLink(path.resolve("d/again"), path.resolve("f"));

      VolumeStats.Usage bytes = rig.stats(volume, "one").bytes().orElseThrow();
      VolumeStats.Usage inodes = rig.stats(volume, "one").inodes().orElseThrow();

      assertThat(bytes.used()).isEqualTo(1000);
      assertThat(bytes.total()).isEqualTo(Rig.MIB);
      assertThat(bytes.available()).isEqualTo(Rig.MIB - 1000);
      assertThat(inodes.used()).isEqualTo(3);
      assertThat(inodes.total()).isEqualTo(inodes.used() + inodes.available());
    }
  }

  @Test
  void noSecretReachesTheDisk(Scratch scratch) throws Exception {
    try (Rig rig = Rig.open(scratch)) {
      rig.create(
          CreateVolumeRequest.builder("db", List.of(Rig.MOUNT))
              .secrets(Secrets.of(Map.of("key", "hunter2"))));

      String state = Files.readString(rig.data().resolve("state"), StandardCharsets.ISO_8859_1);

      assertThat(state).contains("db").doesNotContain("hunter2");
    }
  }

  @Test
  void aPluginThatDoesNotStagePublishesTheVolumeItself(Scratch scratch) throws Exception {
    PluginShape shape =
        HostPathStorage.defaultShape()
            .without(io.csi4j.client.node.NodeCapability.STAGE_UNSTAGE_VOLUME);
    try (HostPathPlugin plugin = HostPathPlugin.builder(scratch.file("data")).shape(shape).open();
        io.csi4j.client.CsiPlugin client = io.csi4j.client.CsiPlugin.connect(plugin.endpoint())) {
      var volume =
          client
              .controller()
              .createVolume(CreateVolumeRequest.builder("db", List.of(Rig.MOUNT)).build());
      scratch.directory("targets");
      client
          .node()
          .publishVolume(
              io.csi4j.client.node.NodePublishVolumeRequest.builder(
                      volume.id(),
                      io.csi4j.client.model.PluginPath.of(scratch.path("targets/one").toString()),
                      Rig.MOUNT)
                  .volumeContext(volume.context())
                  .build());
      Files.writeString(scratch.file("targets/one/f"), "kept");
      assertThat(
              scratch
                  .file("data/volumes")
                  .resolve(volume.id().value())
                  .resolve("disk")
                  .resolve("f"))
          .hasContent("kept");
    }
  }

  @Test
  void twoPluginsDoNotShareADirectory(Scratch scratch) {
    try (Rig rig = Rig.open(scratch)) {
      // The second time as well: whoever is refused does not free the lock of the first.
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> HostPathPlugin.builder(rig.data()).open())
            .isInstanceOf(UncheckedIOException.class)
            .rootCause()
            .hasMessageContaining("another plugin in this process uses it");
      }
    }
  }

  private static VolumeCapability with(MountOptions options) {
    return VolumeCapability.mount(AccessMode.SINGLE_NODE_MULTI_WRITER, options);
  }

  static StatusCode refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return assertThatExceptionOfType(CsiException.class).isThrownBy(call).actual().code();
  }
}
