package io.csi4j.volume.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Which mounts are uses that are not on record, and which are not: only the former are taken away.
 */
class StraysTest {

  private static final VolumeLayout LAYOUT = new VolumeLayout(MountPath.of("/root"));
  private static final VolumeIdentity IDENTITY =
      new VolumeIdentity(PluginId.of("plugin"), VolumeId.of("vol-1"));
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web"));
  private static final MountPath USES = LAYOUT.uses(IDENTITY);
  private static final String STRAY =
      VolumeLayout.id(VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("late")));
  private static final Evidence DISK = new Evidence("ref-1", "ext4", "/dev/sda", "/", false);

  private static VolumeRecord record(PathRecord target) {
    return VolumeRecord.fresh(
            IDENTITY,
            new Plan(true, false, AccessMode.MULTI_NODE_MULTI_WRITER, "", "", ""),
            new Place("boot-1", 7))
        .withTarget(new TargetRecord(USE, false, target));
  }

  private static List<Sighting> mounted(MountPath... paths) {
    return Arrays.stream(paths).map(path -> new Sighting(path, "8:1", DISK)).toList();
  }

  @Test
  void aMountAtThePathOfAUseThatIsNotOnRecordIsGivenUp() {
    VolumeRecord record = record(PathRecord.present(Optional.of(DISK)));
    MountPath stray = USES.resolve(STRAY).resolve("t");

    VolumeRecord now =
        Strays.with(LAYOUT, record, mounted(LAYOUT.target(IDENTITY, USE), stray, stray));

    assertThat(now.targets()).hasSize(2);
    assertThat(now.target(StrayUse.of(IDENTITY, STRAY)).orElseThrow().path())
        .isEqualTo(PathRecord.NONE.as(PathStatus.GOING));
    assertThat(now.target(USE)).isEqualTo(record.target(USE));
  }

  @Test
  void noOtherMountInTheDirectoryOfAVolumeIsAUse() {
    VolumeRecord record = record(PathRecord.present(Optional.of(DISK)));

    for (MountPath other :
        List.of(
            LAYOUT.target(IDENTITY, USE),
            LAYOUT.staging(IDENTITY),
            USES.resolve(STRAY),
            USES.resolve(STRAY).resolve("x"),
            USES.resolve(STRAY).resolve("t").resolve("t"),
            USES.resolve("a name that is none of ours").resolve("t"),
            LAYOUT.volume(IDENTITY).resolve("t"),
            MountPath.of("/elsewhere/" + STRAY + "/t"))) {
      assertThat(Strays.with(LAYOUT, record, mounted(other))).as("%s", other).isSameAs(record);
    }
  }

  @Test
  void aUseOfWhichNothingShouldBeThereIsInDoubtWhenItIsMounted() {
    VolumeRecord nothing = record(PathRecord.NONE);

    assertThat(come(nothing, LAYOUT.target(IDENTITY, USE)))
        .isEqualTo(nothing.withTarget(inDoubt()));
    assertThat(come(nothing)).isEqualTo(nothing);
    assertThat(come(nothing, LAYOUT.staging(IDENTITY))).isEqualTo(nothing);
  }

  @Test
  void aUseThatShouldBeThereIsNotDoubtedBecauseItIsMounted() {
    for (PathRecord path :
        List.of(
            PathRecord.present(Optional.of(DISK)),
            PathRecord.NONE.as(PathStatus.IN_DOUBT),
            PathRecord.NONE.as(PathStatus.GOING))) {
      assertThat(come(record(path), LAYOUT.target(IDENTITY, USE))).isEqualTo(record(path));
    }
  }

  private static TargetRecord inDoubt() {
    return new TargetRecord(USE, false, PathRecord.NONE.as(PathStatus.IN_DOUBT));
  }

  private static VolumeRecord come(VolumeRecord record, MountPath... paths) {
    return Strays.come(LAYOUT.home(IDENTITY), record, mounted(paths));
  }
}
