package io.csi4j.volume.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Recovery.Found;
import io.csi4j.volume.internal.recovery.Recovery.Recovered;
import io.csi4j.volume.internal.recovery.Recovery.Remembered;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecoveryTest {

  private static final VolumeLayout LAYOUT = new VolumeLayout(MountPath.of("/root"));
  private static final VolumeIdentity IDENTITY =
      new VolumeIdentity(PluginId.of("plugin"), VolumeId.of("vol-1"));
  private static final VolumeUse USE = VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("web"));
  private static final Place HERE = new Place("boot-1", 7);
  private static final Plan PLAN =
      new Plan(true, false, AccessMode.MULTI_NODE_MULTI_WRITER, "", "", "");
  private static final Evidence DISK = new Evidence("ref-1", "ext4", "/dev/sda", "/", false);
  private static final Evidence AGAIN = new Evidence("ref-2", "ext4", "/dev/sda", "/", false);
  private static final Evidence OTHER = new Evidence("ref-3", "tmpfs", "none", "/", false);

  private final SortedMap<StateKey, StateValue> values = new TreeMap<>();
  private final List<Uncertainty> doubts = new ArrayList<>();
  private final List<VolumeDirectories.Found> directories = new ArrayList<>();
  private final List<Sighting> mounted = new ArrayList<>();

  private LoadedState state() {
    return new LoadedState(values, doubts, Optional.empty());
  }

  private Recovered recover() {
    return Recovery.of(LAYOUT, new Found(Remembered.of(state()), directories, mounted, HERE));
  }

  private void remember(VolumeRecord record) {
    values.put(LAYOUT.key(record.identity()), RecordCodec.encode(record));
  }

  private void bury(VolumeUse... uses) {
    bury(HERE, false, uses);
  }

  private void bury(Place where, boolean isUnsettled, VolumeUse... uses) {
    values.put(
        StateKey.tombstone(LAYOUT.key(IDENTITY).id()),
        RecordCodec.encode(
            new Tombstone(
                IDENTITY,
                PLAN,
                where,
                List.of(uses),
                new TreeMap<>(),
                isUnsettled,
                new TreeSet<>())));
  }

  private static VolumeRecord present(Place place) {
    return VolumeRecord.fresh(IDENTITY, PLAN, place)
        .withStaging(PathRecord.present(Optional.of(DISK)))
        .withTarget(new TargetRecord(USE, false, PathRecord.present(Optional.of(DISK))));
  }

  private void mount(Evidence staging, Evidence target) {
    see(LAYOUT.staging(IDENTITY), staging);
    see(LAYOUT.target(IDENTITY, USE), target);
  }

  private void see(MountPath path, Evidence evidence) {
    mounted.add(new Sighting(path, "8:1", evidence));
  }

  private static VolumeRecord only(Recovered recovered) {
    assertThat(recovered.volumes()).hasSize(1);
    return recovered.volumes().get(0);
  }

  private static PathStatus target(VolumeRecord record) {
    return record.target(USE).orElseThrow().path().status();
  }

  private static List<OperatorCode> codes(Recovered recovered) {
    return recovered.findings().stream().map(OperatorMessage::code).toList();
  }

  @Test
  @Tag("A9")
  void whatIsThereAsItWasIsAdopted() {
    remember(present(HERE));
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(only(recovered)).isEqualTo(present(HERE));
    assertThat(recovered.adopted()).as("A9: taken over as it is").containsExactly(USE);
    assertThat(recovered.inDoubt()).isEmpty();
    assertThat(recovered.findings()).isEmpty();
  }

  @Test
  void aMountOfTheSameThroughAnotherMountIsAdoptedAndKnownAnew() {
    remember(present(HERE));
    mount(AGAIN, AGAIN);

    VolumeRecord record = only(recover());

    assertThat(record.target(USE).orElseThrow().path())
        .isEqualTo(PathRecord.present(Optional.of(AGAIN)));
  }

  @Test
  void anotherMountAtThePathIsForeign() {
    remember(present(HERE));
    mount(DISK, OTHER);

    Recovered recovered = recover();

    assertThat(target(only(recovered))).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(only(recovered).target(USE).orElseThrow().path().evidence()).contains(DISK);
    assertThat(recovered.adopted()).isEmpty();
    assertThat(codes(recovered)).containsExactly(OperatorCode.FOREIGN_MOUNT);
  }

  @Test
  @Tag("B4")
  void aMountThatTheRecordHasOnlyBegunToStageIsToldAndNotTakenOver() {
    PathRecord begun = PathRecord.NONE.as(PathStatus.IN_DOUBT);
    remember(
        VolumeRecord.fresh(IDENTITY, PLAN, HERE)
            .withStaging(begun.working(Verb.STAGE, "process-1"))
            .withTarget(new TargetRecord(USE, false, begun)));
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(codes(recovered))
        .as("B4: the older record is told")
        .contains(OperatorCode.JOURNAL_OLDER_THAN_KERNEL);
    assertThat(recovered.adopted()).as("B4: the older record is no proof").isEmpty();
    assertThat(target(only(recovered))).isEqualTo(PathStatus.IN_DOUBT);
  }

  @Test
  void aMountOfAVolumeThatIsBeingUnstagedIsNoSignOfAnOldRecord() {
    PathRecord doubt = PathRecord.NONE.as(PathStatus.IN_DOUBT);
    remember(
        VolumeRecord.fresh(IDENTITY, PLAN, HERE)
            .withStaging(doubt.working(Verb.UNSTAGE, "process-1"))
            .withTarget(new TargetRecord(USE, false, doubt)));
    mount(DISK, DISK);

    assertThat(codes(recover())).doesNotContain(OperatorCode.JOURNAL_OLDER_THAN_KERNEL);
  }

  @Test
  void aLateMountBesideAUseOnRecordIsGivenUpAndNotUnknown() {
    remember(present(HERE));
    mount(DISK, DISK);
    String id = VolumeLayout.id(VolumeUse.of(VolumeKey.of("data"), WorkloadId.of("late")));
    see(LAYOUT.uses(IDENTITY).resolve(id).resolve("t"), DISK);

    Recovered recovered = recover();

    VolumeUse late = StrayUse.of(IDENTITY, id);
    assertThat(only(recovered).target(late).orElseThrow().path().status())
        .isEqualTo(PathStatus.GOING);
    assertThat(target(only(recovered))).isEqualTo(PathStatus.PRESENT);
    assertThat(recovered.unknown()).isEmpty();
  }

  @Test
  void aMountInADirectoryWithANameThatIsNoneOfOursIsReportedAndLeftAlone() {
    remember(present(HERE));
    mount(DISK, DISK);
    MountPath foreign = LAYOUT.uses(IDENTITY).resolve("late").resolve("t");
    see(foreign, DISK);

    Recovered recovered = recover();

    assertThat(only(recovered)).isEqualTo(present(HERE));
    assertThat(recovered.unknown()).containsExactly(foreign);
    assertThat(codes(recovered)).containsExactly(OperatorCode.UNKNOWN_MOUNT);
  }

  @Test
  void aMountThatIsGoneIsInDoubt() {
    remember(present(HERE));
    see(LAYOUT.staging(IDENTITY), DISK);

    Recovered recovered = recover();

    assertThat(only(recovered).staging().status()).isEqualTo(PathStatus.PRESENT);
    assertThat(target(only(recovered))).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(recovered.inDoubt()).containsExactly(USE);
    assertThat(codes(recovered)).containsExactly(OperatorCode.MOUNT_LOST);
  }

  @Test
  void aStagingThatIsGoneIsInDoubt() {
    remember(present(HERE));
    see(LAYOUT.target(IDENTITY, USE), DISK);

    Recovered recovered = recover();

    assertThat(only(recovered).staging().status()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(target(only(recovered))).isEqualTo(PathStatus.PRESENT);
    assertThat(codes(recovered)).containsExactly(OperatorCode.STAGING_LOST);
  }

  @Test
  void afterARebootEverythingIsInDoubt() {
    remember(present(new Place("boot-0", 7)));
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(only(recovered).staging().status()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(target(only(recovered))).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(only(recovered).place()).isEqualTo(HERE);
    assertThat(recovered.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo(OperatorCode.REBOOT_DETECTED);
              assertThat(finding.seen())
                  .hasToString("the host was rebooted since 1 volume was last seen");
            });
  }

  @Test
  void inAnotherMountNamespaceEverythingIsInDoubt() {
    remember(present(new Place("boot-1", 8)));
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(target(only(recovered))).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(recovered.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo(OperatorCode.NAMESPACE_CHANGED);
              assertThat(finding.seen().text()).endsWith("in which 1 volume was last seen");
            });
  }

  @Test
  @Tag("G2")
  void whatTheStateDoubtsIsInDoubt() {
    remember(present(HERE));
    doubts.add(
        Uncertainty.about(
            StateException.Reason.JOURNAL_DAMAGED,
            List.of(LAYOUT.key(IDENTITY)),
            "a record is damaged"));
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(only(recovered).staging().status()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(target(only(recovered)))
        .as("G2: the volume of the damaged record is in doubt")
        .isEqualTo(PathStatus.IN_DOUBT);
    assertThat(codes(recovered))
        .as("G2: the damage is told")
        .containsExactly(OperatorCode.JOURNAL_DAMAGED);
  }

  private static VolumeRecord leaving(PathStatus status) {
    return present(HERE)
        .withTarget(
            new TargetRecord(
                USE,
                false,
                PathRecord.present(Optional.of(DISK)).as(status).working(Verb.UNPUBLISH, "one")));
  }

  private void doubt(StateKey key) {
    doubts.add(
        Uncertainty.about(
            StateException.Reason.JOURNAL_TRUNCATED, List.of(key), "the file is shorter"));
  }

  @ParameterizedTest
  @CsvSource({"GOING", "IN_DOUBT"})
  @Tag("B4")
  void aReleaseOfAnEarlierMountIsInDoubtWhereANewerRecordMayBeLost(PathStatus status) {
    remember(leaving(status));
    doubt(LAYOUT.key(IDENTITY));
    mount(DISK, AGAIN);

    Recovered recovered = recover();

    assertThat(only(recovered).target(USE).orElseThrow().path())
        .as("B4: an older release is no proof that the mount of today is not wanted")
        .isEqualTo(new PathRecord(PathStatus.IN_DOUBT, Optional.empty(), Optional.of(AGAIN)));
    assertThat(codes(recovered))
        .as("B4: the older record is reported")
        .containsExactly(OperatorCode.JOURNAL_TRUNCATED, OperatorCode.JOURNAL_OLDER_THAN_KERNEL);
    assertThat(recovered.inDoubt()).containsExactly(USE);
  }

  @Test
  void aReleaseOfTheMountThatIsThereGoesOnThoughANewerRecordMayBeLost() {
    remember(leaving(PathStatus.GOING));
    doubt(LAYOUT.key(IDENTITY));
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(only(recovered).target(USE)).isEqualTo(leaving(PathStatus.GOING).target(USE));
    assertThat(codes(recovered)).containsExactly(OperatorCode.JOURNAL_TRUNCATED);
  }

  @Test
  void aReleaseGoesOnThoughAnotherMountCameWhereNoRecordIsLost() {
    remember(leaving(PathStatus.GOING));
    mount(DISK, AGAIN);

    assertThat(only(recover()).target(USE)).isEqualTo(leaving(PathStatus.GOING).target(USE));
  }

  @Test
  void aReleaseGoesOnInAnotherMountNamespaceWhereEveryMountIsAnother() {
    remember(leaving(PathStatus.GOING).at(new Place("boot-1", 8)));
    doubt(LAYOUT.key(IDENTITY));
    mount(DISK, AGAIN);

    assertThat(target(only(recover()))).isEqualTo(PathStatus.GOING);
  }

  @Test
  void aMountOfWhatWasGivenBackIsInDoubtWhereANewerRecordMayBeLost() {
    bury(USE);
    doubt(StateKey.tombstone(LAYOUT.key(IDENTITY).id()));
    see(LAYOUT.target(IDENTITY, USE), DISK);

    assertThat(target(only(recover()))).isEqualTo(PathStatus.IN_DOUBT);
  }

  @Test
  void whatWasBeingGivenUpIsStillBeingGivenUp() {
    VolumeRecord going =
        present(HERE)
            .withTarget(new TargetRecord(USE, false, PathRecord.NONE.as(PathStatus.GOING)));
    remember(going);
    mount(DISK, DISK);

    Recovered recovered = recover();

    assertThat(only(recovered)).isEqualTo(going);
    assertThat(recovered.going()).containsExactly(USE);
    assertThat(recovered.adopted()).isEmpty();
  }

  @Test
  @Tag("A21")
  void aLateMountOfWhatWasGivenBackIsTakenAwayByItsTombstone() {
    bury(USE);
    see(LAYOUT.target(IDENTITY, USE), DISK);

    Recovered recovered = recover();

    VolumeRecord record = only(recovered);
    assertThat(record.plan()).isEqualTo(PLAN);
    assertThat(record.staging().status()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(target(record))
        .as("A21: the late mount has its owner by the tombstone")
        .isEqualTo(PathStatus.GOING);
    assertThat(recovered.tombstones()).hasSize(1);
    assertThat(recovered.unknown()).isEmpty();
  }

  @Test
  void aTombstoneWithNothingMountedIsNoVolume() {
    bury(USE);

    Recovered recovered = recover();

    assertThat(recovered.volumes()).isEmpty();
    assertThat(recovered.tombstones()).hasSize(1);
  }

  /** A plugin that does not serialise its calls can do one late, and a reboot hides what it did. */
  @ParameterizedTest
  @CsvSource({"boot-0, true, 1", "boot-0, false, 0", "boot-1, true, 0"})
  void whatAnUnsettledCallMayHaveDoneBeforeABootIsGivenBackOnceMore(
      String boot, boolean isUnsettled, int volumes) {
    bury(new Place(boot, 7), isUnsettled, USE);

    Recovered recovered = recover();

    assertThat(recovered.volumes())
        .hasSize(volumes)
        .allSatisfy(
            record -> {
              assertThat(record.staging().status()).isEqualTo(PathStatus.IN_DOUBT);
              assertThat(target(record)).isEqualTo(PathStatus.GOING);
            });
    assertThat(recovered.late()).hasSize(volumes);
  }

  /** Whether the mount table may be believed where the plugin refuses to release it. */
  @ParameterizedTest
  @CsvSource({
    "boot-1, PRESENT, '', true",
    "boot-1, PRESENT, PUBLISH, false",
    "boot-1, GOING, '', false",
    "boot-0, GOING, '', true",
    "boot-0, PRESENT, PUBLISH, true"
  })
  void aPublicationHasEndedThatWasAnsweredOrBeforeABoot(
      String boot, PathStatus status, String pending, boolean isAnswered) {
    PathRecord path = new PathRecord(status, Optional.empty(), Optional.of(DISK));
    remember(
        present(new Place(boot, 7))
            .withTarget(
                new TargetRecord(
                    USE,
                    false,
                    pending.isEmpty() ? path : path.working(Verb.valueOf(pending), "1"))));

    VolumeRecord found = only(recover());

    assertThat(found.isPresent()).as("the staging is gone, too").isFalse();
    assertThat(found.isAnswered(USE)).isEqualTo(isAnswered);
  }

  @ParameterizedTest
  @CsvSource({
    "boot-0, true, false, true",
    "boot-1, true, false, false",
    "boot-1, true, true, true",
    "boot-1, false, false, true"
  })
  void aTombstoneSaysWhetherThePublicationsOfItsUsesHaveEnded(
      String boot, boolean isUnsettled, boolean wasAnswered, boolean isAnswered) {
    Tombstone tombstone =
        new Tombstone(
            IDENTITY,
            PLAN,
            new Place(boot, 7),
            List.of(USE),
            new TreeMap<>(),
            isUnsettled,
            new TreeSet<>(wasAnswered ? List.of(USE) : List.of()));

    assertThat(Recovery.late(tombstone, HERE).isAnswered(USE)).isEqualTo(isAnswered);
  }

  @Test
  void aDirectoryThatNobodyRemembersIsRebuiltAsNotWanted() {
    String use = VolumeLayout.id(USE);
    directories.add(new VolumeDirectories.Found(IDENTITY, List.of(use)));
    MountPath stray = LAYOUT.uses(IDENTITY).resolve(use).resolve("t");
    see(stray, DISK);

    Recovered recovered = recover();

    VolumeUse found = StrayUse.of(IDENTITY, use);
    VolumeRecord record = only(recovered);
    assertThat(record.staging().status()).isEqualTo(PathStatus.IN_DOUBT);
    assertThat(record.target(found).orElseThrow().path().status()).isEqualTo(PathStatus.GOING);
    assertThat(LAYOUT.target(IDENTITY, found)).isEqualTo(stray);
    assertThat(codes(recovered)).containsExactly(OperatorCode.STATE_REBUILT);
    assertThat(recovered.unknown()).isEmpty();
  }

  @Test
  void aDirectoryOfAVolumeOnRecordIsNothingNew() {
    remember(present(HERE));
    mount(DISK, DISK);
    directories.add(new VolumeDirectories.Found(IDENTITY, List.of(VolumeLayout.id(USE))));

    Recovered recovered = recover();

    assertThat(only(recovered)).isEqualTo(present(HERE));
    assertThat(recovered.findings()).isEmpty();
  }

  @Test
  void aMountThatNobodyExplainsIsReportedAndLeftAlone() {
    MountPath path = LAYOUT.volumes().resolve("x").resolve("s");
    see(path, DISK);

    Recovered recovered = recover();

    assertThat(recovered.volumes()).isEmpty();
    assertThat(recovered.unknown()).containsExactly(path);
    assertThat(codes(recovered)).containsExactly(OperatorCode.UNKNOWN_MOUNT);
  }

  @Test
  void whatAWorkloadHasMountedInItsVolumeIsItsOwnBusiness() {
    remember(present(HERE));
    mount(DISK, DISK);
    see(LAYOUT.target(IDENTITY, USE).resolve("inner"), OTHER);

    assertThat(recover().unknown()).isEmpty();
  }

  @Test
  void aRecordThatCannotBeReadIsReported() {
    values.put(LAYOUT.key(IDENTITY), StateValue.of(new byte[] {1, 2, 3}));

    Recovered recovered = recover();

    assertThat(recovered.volumes()).isEmpty();
    assertThat(codes(recovered)).containsExactly(OperatorCode.RECORD_UNREADABLE);
  }

  @Test
  void onlyTheDirectoriesOfReadableRecordsNeedNoReading() {
    remember(present(HERE));
    values.put(StateKey.volume("other"), RecordCodec.encode(present(HERE)));
    values.put(StateKey.volume("torn"), StateValue.of(new byte[] {1, 2, 3}));
    bury(USE);

    Remembered remembered = Remembered.of(state());

    assertThat(remembered.of(VolumeLayout.id(IDENTITY))).contains(IDENTITY);
    assertThat(remembered.of("other")).isEmpty();
    assertThat(remembered.of("torn")).isEmpty();
  }

  @Test
  void aRecordOfAnotherVolumeThanItsKeyIsReported() {
    values.put(StateKey.volume("other"), RecordCodec.encode(present(HERE)));

    Recovered recovered = recover();

    assertThat(recovered.volumes()).isEmpty();
    assertThat(codes(recovered)).containsExactly(OperatorCode.RECORD_UNREADABLE);
  }
}
