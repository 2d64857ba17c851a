package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.journal.SegmentFiles.Segment;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/** The files of a journal, one operation after the other. */
class SegmentFilesTest {

  private static final int BALLAST_SIZE = 2048;
  private static final Path BALLAST = Fixture.STATE.resolve("ballast");
  private static final Path UNFINISHED = Fixture.STATE.resolve("seg-00000001.new");
  private static final Entry RECORD =
      Entry.unplaced(EntryName.of(Fixture.A), Entry.PUT, new byte[8]).at(1, 1);

  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);
  private final SegmentFiles files = new SegmentFiles(disk, Fixture.STATE, BALLAST_SIZE);

  SegmentFilesTest() {
    disk.mkdir(Fixture.STATE);
  }

  private List<String> done(int before) {
    return disk.history().subList(before, disk.operations());
  }

  private void segments(int... sizes) {
    for (int i = 0; i < sizes.length; i++) {
      disk.overwrite(Fixture.segment(i + 1), new byte[sizes[i]]);
    }
  }

  // ---- reading

  @Test
  void aSegmentIsReadAgainOnlyIfItsBytesChanged() throws DiskException {
    segments(64, 64);
    SortedMap<Integer, SegmentScan> first = files.scan();
    disk.overwrite(Fixture.segment(2), RECORD.encode());
    SortedMap<Integer, SegmentScan> again = files.scan(first);

    assertThat(again.get(1)).isSameAs(first.get(1));
    assertThat(again.get(2).entries()).hasSize(1);
    assertThat(again.get(2).length()).isEqualTo(48);
  }

  @Test
  void aSegmentThatHasGrownIsReadToWhereItWasMadeToEnd() throws DiskException {
    byte[] made = Arrays.copyOf(header(64 * 1024), 64 * 1024);
    disk.overwrite(Fixture.segment(1), Arrays.copyOf(made, 1 << 20));

    SegmentScan scan = new SegmentFiles(disk, Fixture.STATE, 0, 128 * 1024).scan().get(1);

    assertThat(scan.length()).isEqualTo(64 * 1024 + 1);
    assertThat(scan.header()).isNotNull();
    assertThat(scan.gaps()).isEmpty();
    assertThat(scan.isSound()).as("it is written again").isFalse();
    assertThat(scan.isTruncated()).isFalse();
  }

  @Test
  void aLargeFileWhoseSizeAsASegmentIsUnknownIsRefusedBeforeItIsRead() {
    disk.overwrite(Fixture.segment(1), new byte[1 << 20]);

    assertThatExceptionOfType(DiskException.class)
        .isThrownBy(() -> new SegmentFiles(disk, Fixture.STATE, 0, 128 * 1024).scan())
        .withMessage(
            "seg-00000001.j: it has 1048576 bytes, of which 1048576 would have to be read, but "
                + "this JVM has memory for only 131072")
        .extracting(DiskException::kind)
        .isEqualTo(Kind.TOO_LARGE);
  }

  @Test
  void aLargeFileOfANewerVersionIsKnownByItsHeader() throws DiskException {
    Header newer = new Header(Header.FORMAT + 1, 1, 4096, Fixture.HOST);
    disk.overwrite(Fixture.segment(1), Arrays.copyOf(newer.entry(1, 1).encode(), 1 << 20));

    assertThat(new SegmentFiles(disk, Fixture.STATE, 0, 128 * 1024).scan().get(1).isNewer())
        .isTrue();
  }

  private static byte[] header(int capacity) {
    return Header.of(1, capacity, Fixture.HOST).entry(1, 1).encode();
  }

  // ---- beginning and naming

  @Test
  void aSegmentThatIsGivenUpIsClosedAndLeavesNoFile() throws DiskException {
    Segment begun = files.begin(1, 4096);
    assertThat(disk.opened()).containsExactly(UNFINISHED);
    assertThat(disk.files()).contains(UNFINISHED);
    files.giveUp(begun);

    assertThat(disk.opened()).isEmpty();
    assertThat(disk.files()).doesNotContain(UNFINISHED);
  }

  @Test
  void aNewSegmentTakesThePlaceOfAnUnfinishedOneWithItsNumber() throws DiskException {
    disk.overwrite(UNFINISHED, new byte[99]);
    files.begin(1, 4096);

    assertThat(disk.content(UNFINISHED)).isEmpty();
  }

  @Test
  void aRenameThatFailedAndWasMadeNeverthelessIsNoFailure() throws DiskException {
    Segment begun = files.begin(1, 4096);
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          if (operation == Operation.RENAME && disk.files().contains(UNFINISHED)) {
            renameNow();
            return true;
          }
          return false;
        });
    files.name(begun);

    assertThat(disk.files()).contains(Fixture.segment(1)).doesNotContain(UNFINISHED);
  }

  private void renameNow() {
    disk.heal();
    try {
      disk.rename(UNFINISHED, Fixture.segment(1));
    } catch (DiskException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRenameThatFailedWhereNothingCanBeLookedAtMayHaveBeenMade() throws DiskException {
    Segment begun = files.begin(1, 4096);
    disk.fail(
        Kind.FAILED,
        (operation, path) -> operation == Operation.RENAME || operation == Operation.LOOK);
    files.name(begun);

    assertThat(disk.files()).contains(UNFINISHED);
  }

  @Test
  void aRenameThatWasNotMadeIsAFailure() throws DiskException {
    Segment begun = files.begin(1, 4096);
    disk.fail(Kind.NO_SPACE, (operation, path) -> operation == Operation.RENAME);

    assertThatExceptionOfType(DiskException.class)
        .isThrownBy(() -> files.name(begun))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.NO_SPACE));
  }

  // ---- tidying

  @Test
  void theNewestSegmentAndTheOneBeforeItStayAndNothingUnfinishedDoes() {
    segments(64, 64, 64, 64);
    disk.overwrite(Fixture.STATE.resolve("seg-00000005.new"), new byte[64]);
    disk.overwrite(Fixture.STATE.resolve("seg-5.new"), new byte[64]);
    files.tidy();

    assertThat(disk.files())
        .containsExactlyInAnyOrder(
            Fixture.ROOT,
            Fixture.STATE,
            Fixture.segment(3),
            Fixture.segment(4),
            Fixture.STATE.resolve("seg-5.new"));
    assertThat(files.hasLeftover()).isFalse();
    assertThat(disk.opened()).isEmpty();
  }

  @Test
  void aSmallSegmentIsDeletedAtOnce() {
    segments(SegmentFiles.CUT, 64, 64);
    files.tidy();

    assertThat(files.hasLeftover()).isFalse();
    assertThat(disk.files()).doesNotContain(Fixture.segment(1));
  }

  @Test
  void aLargerSegmentIsCutInPiecesAndThenDeletedAndClosed() {
    segments(4 * SegmentFiles.CUT + 1, 64, 64);
    files.tidy();
    List<Integer> lengths = new ArrayList<>();
    while (files.hasLeftover()) {
      lengths.add(disk.content(Fixture.segment(1)).length);
      assertThat(disk.opened()).containsExactly(Fixture.segment(1));
      files.cutLeftover();
    }

    assertThat(lengths)
        .containsExactly((1 << 20) + 1, (3 << 18) + 1, (2 << 18) + 1, (1 << 18) + 1, 1);
    assertThat(disk.files()).doesNotContain(Fixture.segment(1));
    assertThat(disk.opened()).isEmpty();
    int before = disk.operations();
    files.cutLeftover();
    assertThat(disk.operations()).isEqualTo(before);
  }

  @Test
  void onlyOneLargeSegmentIsCutAndTheOthersAreDeletedAtOnce() {
    int large = SegmentFiles.CUT + 1;
    segments(large, large, 64, 64);
    files.tidy();
    files.tidy();

    assertThat(disk.files()).contains(Fixture.segment(1)).doesNotContain(Fixture.segment(2));
    assertThat(files.hasLeftover()).isTrue();
    assertThat(disk.opened()).containsExactly(Fixture.segment(1));
  }

  @Test
  void aLeftoverThatIsForgottenIsClosedAndStays() {
    segments(SegmentFiles.CUT + 1, 64, 64);
    files.tidy();
    files.forgetLeftover();
    files.forgetLeftover();

    assertThat(files.hasLeftover()).isFalse();
    assertThat(disk.opened()).isEmpty();
    assertThat(disk.files()).contains(Fixture.segment(1));
  }

  @Test
  void aLinkIsDeletedAndNotCut() {
    segments(64, 64, 64);
    disk.erase(Fixture.segment(1));
    disk.put(Fixture.segment(1), FileFacts.Kind.LINK);
    files.tidy();

    assertThat(files.hasLeftover()).isFalse();
    assertThat(disk.files()).doesNotContain(Fixture.segment(1));
  }

  // ---- keeping aside

  @Test
  void aFileThatIsKeptAsideIsSoAfterAPowerCutToo() {
    segments(64);
    Path aside = Fixture.STATE.resolve("seg-00000001.j.damaged-7");

    assertThat(files.keepAside(1, 7)).contains(aside);
    Random choice = new Random(1);
    for (int cut = 0; cut < 8; cut++) {
      assertThat(disk.restart(choice).files()).contains(aside).doesNotContain(Fixture.segment(1));
    }
  }

  @Test
  void aFileIsNotKeptAsideOverAnother() {
    segments(64);
    Path aside = Fixture.STATE.resolve("seg-00000001.j.damaged-7");
    disk.overwrite(aside, new byte[9]);

    assertThat(files.keepAside(1, 7)).isEmpty();
    assertThat(files.keepAside(2, 7)).isEmpty();
    assertThat(disk.content(aside)).hasSize(9);
    assertThat(disk.files()).contains(Fixture.segment(1));
  }

  // ---- ballast

  @Test
  void theBallastIsMadeAndSyncedOnce() {
    files.restoreBallast();
    files.restoreBallast();

    assertThat(disk.history()).containsExactly("CREATE ballast", "WRITE ballast", "SYNC ballast");
    assertThat(disk.content(BALLAST)).hasSize(BALLAST_SIZE);
    assertThat(disk.opened()).isEmpty();
  }

  @Test
  void aBallastThatIsTooSmallIsMadeAgain() {
    disk.overwrite(BALLAST, new byte[BALLAST_SIZE - 1]);
    files.restoreBallast();

    assertThat(disk.content(BALLAST)).hasSize(BALLAST_SIZE);
  }

  @Test
  void aBallastThatIsLargeEnoughStays() {
    disk.overwrite(BALLAST, new byte[BALLAST_SIZE + 1]);
    files.restoreBallast();

    assertThat(disk.history()).isEmpty();
  }

  @Test
  void noBallastIsMadeWhereNoneIsWanted() {
    new SegmentFiles(disk, Fixture.STATE, 0).restoreBallast();

    assertThat(disk.history()).isEmpty();
  }

  @Test
  void aBallastThatHasNoRoomLeavesNothingBehind() {
    disk.leave(100);
    files.restoreBallast();

    assertThat(disk.files()).doesNotContain(BALLAST);
    assertThat(disk.opened()).isEmpty();
  }

  @Test
  void theSpaceOfTheBallastIsFreeOnTheMedium() {
    files.restoreBallast();
    int before = disk.operations();
    files.releaseBallast();

    assertThat(done(before)).containsExactly("DELETE ballast", "SYNC_DIRECTORY state");
  }

  @Test
  void theBallastComesBackInTheSpaceOfAnOldSegmentOnAFullDisk() {
    segments(4 * SegmentFiles.CUT, 64, 64);
    disk.leave(0);
    files.tidy();
    assertThat(files.hasLeftover()).isTrue();

    files.restoreBallast();

    assertThat(disk.content(BALLAST)).hasSize(BALLAST_SIZE);
    assertThat(files.hasLeftover()).isFalse();
    assertThat(disk.files()).doesNotContain(Fixture.segment(1));
    assertThat(disk.opened()).isEmpty();
  }

  @Test
  void anOldSegmentIsNotGivenUpAtOnceWhereThereIsSpaceForTheBallast() {
    segments(4 * SegmentFiles.CUT, 64, 64);
    files.tidy();

    files.restoreBallast();
    assertThat(files.hasLeftover()).as("after it is made").isTrue();
    files.restoreBallast();

    assertThat(files.hasLeftover()).as("when it is there").isTrue();
    assertThat(disk.content(Fixture.segment(1))).hasSize(4 * SegmentFiles.CUT);
    assertThat(disk.content(BALLAST)).hasSize(BALLAST_SIZE);
  }

  // ---- a segment

  private Segment named() throws DiskException {
    Segment segment = files.begin(1, 4096);
    segment.extend(0, 4096);
    segment.sync();
    files.name(segment);
    files.keepName(segment);
    return segment;
  }

  @Test
  void aSegmentIsBehindUntilItIsSynced() throws DiskException {
    Segment segment = named();
    assertThat(segment.isBehind()).isFalse();
    segment.defer(List.of(RECORD));
    assertThat(segment.isBehind()).isTrue();
    segment.append(List.of(RECORD.at(2, 1)));
    assertThat(segment.isBehind()).isFalse();

    byte[] bytes = disk.content(Fixture.segment(1));
    assertThat(Entry.isTogether(bytes, 0)).isFalse();
    assertThat(Entry.isTogether(bytes, 48)).as("not synced before").isTrue();
    assertThat(segment.position()).isEqualTo(96);
    assertThat(segment.room()).isEqualTo(4096 - 96);
    assertThat(segment.reserve()).isEqualTo(512);
  }

  @Test
  void aLookIsDueBeforeTheFirstWriteAndAfterEachSixteenth() throws DiskException {
    Segment segment = named();
    for (int i = 0; i < 3 * SegmentFiles.LOOK_EVERY; i++) {
      assertThat(segment.isDue()).as("write %s", i).isEqualTo(i % SegmentFiles.LOOK_EVERY == 0);
      segment.append(List.of(RECORD));
      assertThat(segment.isUntouched()).isTrue();
    }
  }

  @Test
  void anEditIsSeenByTheTimeOfChangeOnlyBeforeTheNextWrite() throws DiskException {
    Segment segment = named();
    assertThat(segment.isUntouched()).isTrue();
    disk.overwrite(Fixture.segment(1), disk.content(Fixture.segment(1)));
    assertThat(segment.isUntouched()).isFalse();
    segment.append(List.of(RECORD));
    assertThat(segment.isUntouched()).isTrue();
    disk.overwrite(Fixture.segment(1), new byte[4095]);
    assertThat(segment.isUntouched()).isFalse();
    disk.erase(Fixture.segment(1));
    assertThat(segment.isUntouched()).isFalse();
    disk.overwrite(Fixture.segment(1), new byte[4096]);
    assertThat(segment.isUntouched()).as("another file").isFalse();
  }

  @Test
  void aSegmentThatIsClosedIsNotOpen() throws DiskException {
    Segment segment = named();
    assertThat(disk.opened()).hasSize(1);
    segment.close();

    assertThat(disk.opened()).isEmpty();
  }
}
