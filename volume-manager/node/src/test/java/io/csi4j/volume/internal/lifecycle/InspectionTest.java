package io.csi4j.volume.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.MountRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is seen at the paths of a volume, and what is said of it: one row each. */
class InspectionTest {

  private static final MountPolicy STRICT = MountPolicy.defaults();
  private static final MountPolicy LENIENT =
      MountPolicy.builder().requireMount(false).requireDevice(false).build();
  private static final String FINE = "fine";
  private static final Failure OBJECTION =
      Failure.of(OperatorCode.PATH_IN_THE_WAY, "there is a pipe");
  private static final Notice REMARK =
      new Notice(OperatorCode.HOST_DISK_SHOWN, "it shows the host's own disk", Optional.empty());

  private static Sighting mount(String source, String root, boolean readOnly, String... limits) {
    return new Sighting(
        MountPath.of("/top/v/x"),
        "8:1",
        new Evidence("ref", "ext4", source, root, readOnly),
        Sighting.Health.WELL,
        Set.of(limits));
  }

  private static Sighting disk(String... limits) {
    return mount("/dev/sda", "/", false, limits);
  }

  private static Sighting as(Sighting.Health health) {
    return new Sighting(MountPath.of("/top/v/x"), "8:1", disk().evidence(), health);
  }

  /** What is seen: at the staging path, and at the target. */
  private record Seen(Event.Looked looked) {

    static Seen at(List<Sighting> staging, List<Sighting> target) {
      return new Seen(new Event.Looked(staging, target, false, true));
    }

    Seen nothingMade() {
      return with(false, false, looked.objection(), looked.remark());
    }

    Seen device() {
      return with(true, true, looked.objection(), looked.remark());
    }

    Seen objecting() {
      return with(looked.device(), looked.made(), Optional.of(OBJECTION), looked.remark());
    }

    Seen remarking() {
      return with(looked.device(), looked.made(), looked.objection(), Optional.of(REMARK));
    }

    private Seen with(
        boolean device, boolean made, Optional<Failure> objection, Optional<Notice> remark) {
      return new Seen(
          new Event.Looked(looked.staging(), looked.target(), device, made, objection, remark));
    }
  }

  @Test
  void aFewOfManyMountsElsewhereAreNamed() {
    List<Sighting> mounts =
        Stream.iterate(1, n -> n + 1)
            .limit(7)
            .map(n -> new Sighting(MountPath.of("/mnt/" + n), "8:16", disk().evidence()))
            .toList();

    assertThat(Inspection.elsewhere(mounts.subList(0, 1)).seen())
        .isEqualTo("its device 8:16 (/dev/sda) is mounted by another program at '/mnt/1'");
    assertThat(Inspection.elsewhere(mounts.subList(0, 5)).seen()).endsWith("'/mnt/4', '/mnt/5'");
    assertThat(Inspection.elsewhere(mounts))
        .isEqualTo(
            Failure.of(
                OperatorCode.MOUNTED_ELSEWHERE,
                "its device 8:16 (/dev/sda) is mounted by another program at '/mnt/1', '/mnt/2',"
                    + " '/mnt/3', '/mnt/4', '/mnt/5' and 2 more"));
  }

  private static Seen target(Sighting... mounts) {
    return Seen.at(List.of(disk()), List.of(mounts));
  }

  private static Goal.Publish wanted(AccessMode mode, String... flags) {
    MountRequest request =
        MountRequest.builder(Walk.IDENTITY.plugin(), Walk.A, Walk.IDENTITY.handle(), mode)
            .requestOptions(MountOptions.none().withFlags(MountFlags.of(flags)))
            .build();
    return new Goal.Publish(request, Walk.plan(true, false), false);
  }

  private static final Goal.Publish WRITING = wanted(AccessMode.MULTI_NODE_MULTI_WRITER);
  private static final Goal.Publish BLOCK = Walk.publish(Walk.A, Walk.plan(true, true), false);

  static Stream<Arguments> mounts() {
    String ours = "/v/" + VolumeLayout.id(Walk.IDENTITY) + "/staging";
    MountPolicy ownDisk = MountPolicy.builder().refuseHostDisk(true).build();
    return Stream.of(
        Arguments.of("a mount", WRITING, target(disk()), STRICT, FINE),
        Arguments.of(
            "a dead mount",
            WRITING,
            target(as(Sighting.Health.DEAD)),
            STRICT,
            "MOUNT_DEAD: the plugin answered OK to NodePublishVolume, but the server of the "
                + "mount has ended"),
        Arguments.of(
            "a dead mount that another covers",
            WRITING,
            target(as(Sighting.Health.DEAD), disk()),
            STRICT,
            FINE),
        Arguments.of("a silent mount", WRITING, target(as(Sighting.Health.SILENT)), STRICT, FINE),
        Arguments.of(
            "no mount",
            WRITING,
            target(),
            STRICT,
            "MOUNT_NOT_VISIBLE: the plugin answered OK to NodePublishVolume, but nothing is "
                + "mounted there"),
        Arguments.of(
            "nothing at all, where a mount is needed",
            WRITING,
            target().nothingMade(),
            STRICT,
            "MOUNT_NOT_VISIBLE: the plugin answered OK to NodePublishVolume, but nothing is "
                + "mounted there"),
        Arguments.of("no mount, where none is needed", WRITING, target(), LENIENT, FINE),
        Arguments.of(
            "nothing at all, where no mount is needed",
            WRITING,
            target().nothingMade(),
            LENIENT,
            "MOUNT_NOT_VISIBLE: the plugin answered OK to NodePublishVolume, but created nothing "
                + "at the path"),
        Arguments.of(
            "the directory that we made",
            WRITING,
            Seen.at(List.of(), List.of(mount("/dev/root", ours, false))),
            STRICT,
            "MOUNT_NOT_VISIBLE: the plugin published the staging directory with nothing mounted on"
                + " it, so writes would go to the host's own disk"),
        Arguments.of(
            "the directory of another volume",
            WRITING,
            Seen.at(List.of(), List.of(mount("/dev/root", "/v/other/staging", false))),
            STRICT,
            FINE),
        Arguments.of(
            "a directory of that name, on a staging that is mounted",
            WRITING,
            target(mount("/dev/sda", ours, false)),
            STRICT,
            FINE),
        Arguments.of(
            "what cannot be a volume",
            WRITING,
            target(disk()).objecting(),
            STRICT,
            "PATH_IN_THE_WAY: there is a pipe"),
        Arguments.of("the host's disk", WRITING, target(disk()).remarking(), STRICT, FINE),
        Arguments.of(
            "the host's disk, which is refused",
            WRITING,
            target(disk()).remarking(),
            ownDisk,
            "MOUNT_IS_NOT_ITS_OWN: it shows the host's own disk, which the policy of the plugin"
                + " refuses"),
        Arguments.of(
            "a disk of its own, where the host's is refused",
            WRITING,
            target(disk()),
            ownDisk,
            FINE),
        Arguments.of(
            "a writable mount, to be read only",
            Walk.publish(Walk.A, Walk.plan(true, false), true),
            target(disk()),
            STRICT,
            "MOUNT_FLAGS_DIFFER: read-only was requested, but it is writable"),
        Arguments.of(
            "a read-only mount, to be read only",
            Walk.publish(Walk.A, Walk.plan(true, false), true),
            target(mount("/dev/sda", "/", true)),
            STRICT,
            FINE),
        Arguments.of(
            "a read-only mount, to be written",
            WRITING,
            target(mount("/dev/sda", "/", true)),
            STRICT,
            "MOUNT_FLAGS_DIFFER: it was requested for writing, but is read-only"),
        Arguments.of(
            "a read-only mount, which nobody has to write",
            wanted(AccessMode.MULTI_NODE_READER_ONLY),
            target(mount("/dev/sda", "/", true)),
            STRICT,
            FINE),
        Arguments.of(
            "a mount without its limits",
            wanted(AccessMode.MULTI_NODE_MULTI_WRITER, "nosuid", "nodev", "noexec"),
            target(disk("nodev")),
            STRICT,
            "MOUNT_FLAGS_DIFFER: the mount flags noexec, nosuid were requested, but it is "
                + "mounted without"),
        Arguments.of(
            "a mount with its limits and more",
            wanted(AccessMode.MULTI_NODE_MULTI_WRITER, "nosuid"),
            target(disk("nosuid", "nodev")),
            STRICT,
            FINE),
        Arguments.of(
            "limits of a mount that is covered by one without",
            wanted(AccessMode.MULTI_NODE_MULTI_WRITER, "nosuid"),
            target(disk("nosuid"), disk()),
            STRICT,
            "MOUNT_FLAGS_DIFFER: the mount flags nosuid were requested, but it is mounted without"),
        Arguments.of(
            "a flag that says read-only, on a mount that is",
            wanted(AccessMode.MULTI_NODE_MULTI_WRITER, "ro"),
            target(mount("/dev/sda", "/", true)),
            STRICT,
            FINE),
        Arguments.of(
            "a flag that says read-only, on a mount that is not",
            wanted(AccessMode.MULTI_NODE_MULTI_WRITER, "ro"),
            target(disk()),
            STRICT,
            "MOUNT_FLAGS_DIFFER: the mount flags ro were requested, but it is mounted without"));
  }

  static Stream<Arguments> devices() {
    Seen otherDevice = Seen.at(List.of(mount("/dev/sdb", "/", false)), List.of(disk())).device();
    return Stream.of(
        Arguments.of("a device", BLOCK, target().device(), STRICT, FINE),
        Arguments.of(
            "another device than the one that was staged",
            BLOCK,
            otherDevice,
            STRICT,
            "DEVICE_CHANGED: the device at the staging path is not the one that was staged"),
        Arguments.of(
            "a device without a staging mount",
            BLOCK,
            Seen.at(List.of(), List.of()).device(),
            STRICT,
            FINE),
        Arguments.of(
            "what cannot be a volume",
            BLOCK,
            target().device().objecting(),
            STRICT,
            "PATH_IN_THE_WAY: there is a pipe"),
        Arguments.of(
            "no device",
            BLOCK,
            target(),
            STRICT,
            "NOT_A_DEVICE: the plugin answered OK to NodePublishVolume, but there is no block "
                + "device"),
        Arguments.of("no device, where none is needed", BLOCK, target(), LENIENT, FINE),
        Arguments.of(
            "nothing at all, where no device is needed",
            BLOCK,
            target().nothingMade(),
            LENIENT,
            "NOT_A_DEVICE: the plugin answered OK to NodePublishVolume, but created nothing at "
                + "the path"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"mounts", "devices"})
  void whatIsPublishedIsHeldAgainstWhatWasAsked(
      String name, Goal.Publish goal, Seen seen, MountPolicy policy, String fault) {
    VolumeRecord record =
        Walk.fromNothing().record().withStaging(PathRecord.present(Optional.of(disk().evidence())));

    assertThat(words(Inspection.published(goal, seen.looked(), record, policy)))
        .as(name)
        .isEqualTo(fault);
  }

  @Test
  void aDeviceOfWhichNothingIsKnownIsNotAnotherOne() {
    Seen other = Seen.at(List.of(mount("/dev/sdb", "/", false)), List.of()).device();

    assertThat(Inspection.published(BLOCK, other.looked(), Walk.fromNothing().record(), STRICT))
        .isEmpty();
  }

  private static String words(Optional<Failure> fault) {
    return fault.map(failure -> failure.code() + ": " + failure.seen()).orElse(FINE);
  }

  @Test
  void aStagingIsFineIfItsServerLivesAndTheMountIsThereThatIsDemanded() {
    MountPolicy demanding = MountPolicy.builder().requireStagingMount(true).build();

    assertThat(staged(List.of(disk()), demanding)).isEqualTo(FINE);
    assertThat(staged(List.of(), STRICT)).isEqualTo(FINE);
    assertThat(staged(List.of(), demanding))
        .isEqualTo(
            "MOUNT_NOT_VISIBLE: the plugin answered OK to NodeStageVolume, but nothing is "
                + "mounted there");
    assertThat(staged(List.of(as(Sighting.Health.DEAD)), STRICT))
        .isEqualTo(
            "MOUNT_DEAD: the plugin answered OK to NodeStageVolume, but the server of the mount "
                + "has ended");
  }

  private static String staged(List<Sighting> staging, MountPolicy policy) {
    return words(Inspection.staged(Seen.at(staging, List.of()).looked(), policy));
  }

  @Test
  void mountsOnTopOfEachOtherAreCounted() {
    assertThat(Inspection.stacked(List.of())).isEmpty();
    assertThat(Inspection.stacked(List.of(disk()))).isEmpty();
    assertThat(Inspection.stacked(List.of(disk(), disk())))
        .contains("2 mounts are on top of each other");
  }

  @Test
  void aMountIsForeignIfItIsNotTheOneThatWasSeenOrNobodyKnowsWhichIsOurs() {
    PathRecord seen = PathRecord.present(Optional.of(disk().evidence()));
    Sighting other = mount("/dev/sdb", "/", true);

    assertThat(Inspection.isForeign(seen, List.of())).isFalse();
    assertThat(Inspection.isForeign(seen, List.of(disk()))).isFalse();
    assertThat(Inspection.isForeign(seen, List.of(other, disk()))).isFalse();
    assertThat(Inspection.isForeign(seen, List.of(disk(), other))).isTrue();
    assertThat(Inspection.isForeign(PathRecord.NONE, List.of(other))).isFalse();
    assertThat(Inspection.isForeign(PathRecord.NONE, List.of(other, other))).isFalse();
    assertThat(Inspection.isForeign(PathRecord.NONE, List.of(disk(), other))).isTrue();
    assertThat(words(Optional.of(Inspection.foreign(List.of(disk(), other)))))
        .isEqualTo(
            "FOREIGN_MOUNT: the mount is not the one that the plugin made: ext4 from /dev/sdb,"
                + " read-only");
  }
}
