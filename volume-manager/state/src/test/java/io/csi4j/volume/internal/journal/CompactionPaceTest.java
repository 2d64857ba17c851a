package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.StateKey;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How much of a new segment follows each change, to the byte. */
class CompactionPaceTest {

  private static final int CAPACITY = 16 * 1024;

  /** The sixteenth part of it. */
  private static final int PIECE = 1024;

  private static final Header HEADER = Header.of(1, CAPACITY, Fixture.HOST);
  private static final int HEADER_SIZE = HEADER.entry(0, 0).size();
  private static final int RECORD = 48;
  private static final int MUCH_ROOM = 8 * 1024;

  /** A quarter of the room at the beginning, which is to be left at the end. */
  private static final int SPARE = 2 * 1024;

  private static final Path UNFINISHED = Fixture.STATE.resolve("seg-00000001.new");

  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);
  private final SegmentFiles files = new SegmentFiles(disk, Fixture.STATE, 0);

  CompactionPaceTest() {
    disk.mkdir(Fixture.STATE);
  }

  /** A record of so many bytes. */
  private static Entry change(int size) {
    Entry entry = Entry.unplaced(EntryName.of(Fixture.A), Entry.PUT, new byte[size - 36]);
    assertThat(entry.size()).isEqualTo(size);
    return entry;
  }

  private static LiveState live(int records) {
    Map<EntryName, Entry> all = new LinkedHashMap<>();
    for (int i = 0; i < records; i++) {
      EntryName name = EntryName.of(StateKey.volume("" + (char) ('a' + i)));
      all.put(name, new Entry(i, 1, name, Entry.PUT, new byte[RECORD - 36]));
    }
    return new LiveState(all, List.of());
  }

  private Compaction begin(int capacity, int records) throws DiskException {
    return new Compaction(files.begin(1, capacity), HEADER, live(records), MUCH_ROOM, 100, 7);
  }

  private int written() {
    return disk.content(UNFINISHED).length;
  }

  @Test
  void eightBytesFollowEachByteOfAChangeWhileThereIsMuchRoom() throws DiskException {
    Compaction compaction = begin(CAPACITY, 0);
    compaction.follow(change(RECORD), MUCH_ROOM);
    compaction.follow(change(2 * RECORD), MUCH_ROOM);

    assertThat(compaction.advance()).isFalse();
    assertThat(written()).isEqualTo(8 * 3 * RECORD);
    assertThat(disk.history()).last().isEqualTo("SYNC seg-00000001.new");
  }

  @Test
  void soManyBytesFollowThatItEndsBeforeTheSpareRoomIsUsed() throws DiskException {
    Compaction compaction = begin(CAPACITY, 0);
    compaction.follow(change(RECORD), SPARE + 100);
    long first = ((CAPACITY + RECORD) / 100 + 1) * RECORD;
    compaction.advance();
    assertThat(written()).isEqualTo(first);
    compaction.follow(change(RECORD), SPARE + 100);
    long second = ((CAPACITY - first + 2 * RECORD) / 100 + 1) * RECORD;
    compaction.advance();

    assertThat(written()).isEqualTo(first + second);
  }

  @Test
  void allOfItFollowsWhenOnlyTheSpareRoomIsLeft() throws DiskException {
    Compaction compaction = begin(CAPACITY, 3);
    compaction.follow(change(RECORD), SPARE);

    assertThat(compaction.advance()).isTrue();
    SegmentScan scan = SegmentScan.of(disk.content(UNFINISHED));
    assertThat(scan.length()).isEqualTo(CAPACITY);
    assertThat(scan.isSound()).isTrue();
    assertThat(scan.entries()).hasSize(5);
    assertThat(compaction.seq()).isEqualTo(105);
  }

  @Test
  void aStepIsDueWhenItHasTheSixteenthPartOfTheSegment() throws DiskException {
    Compaction compaction = begin(CAPACITY, 0);
    assertThat(compaction.isDue(false)).isFalse();
    compaction.follow(change(PIECE / 8 - 8), MUCH_ROOM);
    assertThat(compaction.isDue(false)).as("64 bytes less").isFalse();
    compaction.advance();
    assertThat(compaction.isDue(false)).as("none is left").isFalse();
    compaction.follow(change(PIECE / 8), MUCH_ROOM);
    assertThat(compaction.isDue(false)).as("just so many").isTrue();
    assertThat(compaction.isDue(true)).as("for one who does not wait").isFalse();
  }

  @Test
  void aStepIsDueAtTheLatestWithEightPieces() throws DiskException {
    Compaction compaction = begin(CAPACITY, 0);
    for (int piece = 1; piece < 8; piece++) {
      compaction.follow(change(PIECE / 8), MUCH_ROOM);
      assertThat(compaction.isDue(true)).as("piece %s", piece).isFalse();
    }
    compaction.follow(change(PIECE / 8), MUCH_ROOM);
    assertThat(compaction.isDue(true)).isTrue();
  }

  @Test
  void aStepThatIsTheLastOneIsDueHoweverSmallItIs() throws DiskException {
    Compaction compaction = begin(CAPACITY, 0);
    int changes = 0;
    while (written() < CAPACITY) {
      changes++;
      compaction.follow(change(RECORD), MUCH_ROOM);
      compaction.advance();
    }
    assertThat(changes - changesWritten()).isGreaterThan(30);
    // From now on each step writes eight changes, and one more comes.
    boolean isLast = false;
    while (!isLast) {
      changes++;
      compaction.follow(change(RECORD), MUCH_ROOM);
      int before = changesWritten();
      isLast = changes - before <= 8;
      assertThat(compaction.isDue(false)).as("%s are left", changes - before).isEqualTo(isLast);
      assertThat(compaction.advance()).isEqualTo(isLast);
      assertThat(changesWritten()).isEqualTo(isLast ? changes : before + 8);
    }
  }

  private int changesWritten() {
    return (SegmentScan.of(disk.content(UNFINISHED)).end() - HEADER_SIZE) / RECORD;
  }

  @Test
  void recordsAreWrittenUntilAStepHasItsBytesAndNoFurther() throws DiskException {
    Compaction compaction = begin(CAPACITY, 20);
    // The header and so many records are just what is due.
    int records = 2;
    while ((HEADER_SIZE + records * RECORD) % 64 != 0) {
      records++;
    }
    compaction.follow(change((HEADER_SIZE + records * RECORD) / 8), MUCH_ROOM);
    compaction.advance();

    assertThat(written()).isEqualTo(HEADER_SIZE + records * RECORD);
  }

  @Test
  void aStateThatJustFillsItsSegmentFitsAndALargerOneDoesNot() throws DiskException {
    int size = HEADER_SIZE + 3 * RECORD;
    Compaction fitting = begin(size, 3);
    fitting.finish();
    assertThat(written()).isEqualTo(size);
    assertThat(SegmentScan.of(disk.content(UNFINISHED)).entries()).hasSize(4);

    Compaction larger = begin(size - 8, 3);
    assertThatExceptionOfType(DiskException.class)
        .isThrownBy(larger::finish)
        .withMessage("the state outgrew its new segment")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.NO_SPACE));
  }
}
