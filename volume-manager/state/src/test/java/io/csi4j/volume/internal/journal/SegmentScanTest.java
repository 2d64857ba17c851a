package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.journal.SegmentScan.Gap;
import io.csi4j.volume.state.StateKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The findings in the bytes of a segment, to the byte. */
class SegmentScanTest {

  private static final int SIZE = 1024;
  private static final int RECORD = 48;
  private static final int HEADER = Header.of(1, SIZE, Fixture.HOST).entry(1, 1).encode().length;

  /** A record of 48 bytes. */
  private static Entry entry(long seq, StateKey key) {
    return Entry.unplaced(EntryName.of(key), Entry.PUT, "12345678".getBytes(StandardCharsets.UTF_8))
        .at(seq, 1);
  }

  private static Entry.Key key(long seq, StateKey key) {
    return new Entry.Key(seq, EntryName.of(key), Entry.PUT, RECORD);
  }

  /** A segment of a header with number 1 and these. */
  private static byte[] segment(Entry... entries) {
    byte[] bytes = Arrays.copyOf(Header.of(1, SIZE, Fixture.HOST).entry(1, 1).encode(), SIZE);
    int at = HEADER;
    for (Entry entry : entries) {
      System.arraycopy(entry.encode(), 0, bytes, at, RECORD);
      at += RECORD;
    }
    return bytes;
  }

  /** Damages the value of the record with this number among those behind the header. */
  private static byte[] damaged(byte[] segment, int record) {
    segment[HEADER + record * RECORD + 40] ^= 1;
    return segment;
  }

  private static int at(int record) {
    return HEADER + record * RECORD;
  }

  @Test
  void aSegmentWithoutDamageIsSoundAndTheNextRecordFollowsTheLast() {
    SegmentScan scan = SegmentScan.of(segment(entry(2, Fixture.A), entry(3, Fixture.B)));

    assertThat(scan.gaps()).isEmpty();
    assertThat(scan.isSound()).isTrue();
    assertThat(scan.isTruncated()).isFalse();
    assertThat(scan.isNewer()).isFalse();
    assertThat(scan.end()).isEqualTo(at(2));
    assertThat(scan.length()).isEqualTo(SIZE);
    assertThat(scan.endsWith(3)).isTrue();
    assertThat(scan.endsWith(2)).isFalse();
  }

  @Test
  void aSegmentThatIsDamagedOrOfAnotherLengthOrWithoutAHeaderIsNotSound() {
    byte[] sound = segment(entry(2, Fixture.A), entry(3, Fixture.B));

    assertThat(SegmentScan.of(damaged(sound.clone(), 0)).isSound()).isFalse();
    assertThat(SegmentScan.of(Arrays.copyOf(sound, SIZE - 1)).isSound()).isFalse();
    assertThat(SegmentScan.of(Arrays.copyOf(sound, SIZE - 1)).isTruncated()).isTrue();
    assertThat(SegmentScan.of(Arrays.copyOf(sound, SIZE + 1)).isSound()).isFalse();
    assertThat(SegmentScan.of(Arrays.copyOf(sound, SIZE + 1)).isTruncated()).isFalse();
    assertThat(SegmentScan.of(new byte[SIZE]).isSound()).isFalse();
  }

  @Test
  void anEmptyFileHasNoGap() {
    for (byte[] empty : List.of(new byte[0], new byte[1], new byte[SIZE])) {
      SegmentScan scan = SegmentScan.of(empty);

      assertThat(scan.gaps()).isEmpty();
      assertThat(scan.entries()).isEmpty();
      assertThat(scan.end()).isZero();
      assertThat(scan.endsWith(0)).isFalse();
    }
  }

  @Test
  void aFindingKnowsTheBytesThatItIsAbout() {
    byte[] bytes = segment(entry(2, Fixture.A));
    SegmentScan scan = SegmentScan.of(bytes);

    assertThat(scan.isOf(bytes.clone())).isTrue();
    assertThat(scan.isOf(damaged(bytes.clone(), 0))).isFalse();
    assertThat(scan.isOf(Arrays.copyOf(bytes, SIZE - 8))).isFalse();
  }

  @Test
  void oneByteBehindTheLastRecordIsAGap() {
    byte[] bytes = segment(entry(2, Fixture.A));
    bytes[at(1)] = 1;
    SegmentScan scan = SegmentScan.of(bytes);

    assertThat(scan.gaps()).containsExactly(new Gap(2, 8, List.of(), false, true));
    assertThat(scan.end()).isEqualTo(at(1) + 8);
  }

  @Test
  void aFirstRecordThatIsDamagedIsAGapAfterNoNumber() {
    byte[] bytes = segment(entry(2, Fixture.A), entry(3, Fixture.B));
    bytes[40] ^= 1;

    assertThat(SegmentScan.of(bytes).gaps())
        .singleElement()
        .satisfies(
            gap -> {
              assertThat(gap.after()).isEqualTo(-1);
              assertThat(gap.bytes()).isEqualTo(HEADER);
              assertThat(gap.complete()).isFalse();
              assertThat(gap.tail()).isFalse();
            });
  }

  @Test
  void aDamagedValueBetweenOthersIsAGapOfJustItsRecord() {
    byte[] bytes = segment(entry(2, Fixture.A), entry(3, Fixture.B), entry(4, Fixture.C));
    SegmentScan scan = SegmentScan.of(damaged(bytes, 1));

    assertThat(scan.gaps())
        .containsExactly(new Gap(2, RECORD, List.of(key(3, Fixture.B)), true, false));
    assertThat(scan.entries()).hasSize(3);
  }

  @Test
  void twoDamagedValuesInARowAreOneGapOfJustTheirRecords() {
    byte[] bytes =
        segment(entry(2, Fixture.A), entry(3, Fixture.B), entry(4, Fixture.C), entry(5, Fixture.A));

    assertThat(SegmentScan.of(damaged(damaged(bytes, 1), 2)).gaps())
        .containsExactly(
            new Gap(2, 2 * RECORD, List.of(key(3, Fixture.B), key(4, Fixture.C)), true, false));
  }

  @Test
  void aDamagedRecordWhoseNameIsGoneTooLeavesItsGapIncomplete() {
    byte[] bytes =
        segment(
            entry(2, Fixture.A),
            entry(3, Fixture.B),
            entry(4, Fixture.C),
            entry(5, Fixture.A),
            entry(6, Fixture.B));
    for (int record : new int[] {1, 2, 3}) {
      byte[] nameless = damaged(damaged(damaged(bytes.clone(), 1), 2), 3);
      nameless[at(record) + 35] ^= 1;

      assertThat(SegmentScan.of(nameless).gaps())
          .as("record %s", record)
          .singleElement()
          .satisfies(
              gap -> {
                assertThat(gap.known()).hasSize(2);
                assertThat(gap.bytes()).isEqualTo(3 * RECORD);
                assertThat(gap.complete()).isFalse();
              });
    }
  }

  @Test
  void aLastRecordWhoseValueAloneIsDamagedIsACompleteTail() {
    byte[] bytes = segment(entry(2, Fixture.A), entry(3, Fixture.B));

    assertThat(SegmentScan.of(damaged(bytes, 1)).gaps())
        .containsExactly(new Gap(2, RECORD, List.of(key(3, Fixture.B)), true, true));
  }

  @Test
  void aTailThatIsLongerThanTheRecordsThatAreKnownIsIncomplete() {
    byte[] bytes = segment(entry(2, Fixture.A), entry(3, Fixture.B));
    bytes[at(2)] = 1;

    assertThat(SegmentScan.of(damaged(bytes, 1)).gaps())
        .containsExactly(new Gap(2, RECORD + 8, List.of(key(3, Fixture.B)), false, true));
  }

  @Test
  void aDamagedRecordWithTheNumberOfTheOneBeforeIsNotKnown() {
    byte[] bytes = segment(entry(2, Fixture.A), entry(2, Fixture.B), entry(3, Fixture.C));

    assertThat(SegmentScan.of(damaged(bytes, 1)).gaps())
        .containsExactly(new Gap(2, RECORD, List.of(), false, false));
  }

  @Test
  void aNumberThatIsLeftOutIsAGapWithoutBytes() {
    SegmentScan scan = SegmentScan.of(segment(entry(2, Fixture.A), entry(4, Fixture.B)));

    assertThat(scan.gaps()).containsExactly(new Gap(2, 0, List.of(), false, false));
    assertThat(scan.isSound()).isFalse();
  }

  @Test
  void recordsThatWereSyncedWithTheDamagedOneBeforeThemAreDroppedWithIt() {
    byte[] bytes = segment(entry(2, Fixture.A));
    byte[] together =
        Entry.encode(List.of(entry(3, Fixture.B), entry(4, Fixture.C), entry(5, Fixture.A)), false);
    System.arraycopy(together, 0, bytes, at(1), together.length);
    damaged(bytes, 1);
    damaged(bytes, 3);
    SegmentScan scan = SegmentScan.of(bytes);

    assertThat(scan.entries()).hasSize(2);
    assertThat(scan.gaps())
        .containsExactly(
            new Gap(
                2,
                3 * RECORD,
                List.of(key(3, Fixture.B), key(4, Fixture.C), key(5, Fixture.A)),
                true,
                true));
  }
}
