package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sum of a damaged segment and of the one before it, and the doubts about it. */
class ReplayTest {

  private static final int SIZE = 1024;
  private static final StateKey GRAVE = StateKey.tombstone("b");
  private static final HostIdentity BEFORE =
      new HostIdentity(new HostId("host-a"), new BootId("boot-0"), 1);

  private static final String ONLY_BEFORE =
      "These keys are only in the segment before the damaged one, and may be outdated or "
          + "released. Reconcile them.";

  private static Entry entry(long seq, StateKey key, String text) {
    return Entry.unplaced(EntryName.of(key), Entry.PUT, text.getBytes(StandardCharsets.UTF_8))
        .at(seq, 1);
  }

  private static byte[] segment(HostIdentity host, long seq, Entry... entries) {
    byte[] bytes = new byte[SIZE];
    int at = 0;
    byte[] header = Header.of(1, SIZE, host).entry(seq, 1).encode();
    System.arraycopy(header, 0, bytes, at, header.length);
    at += header.length;
    for (Entry entry : entries) {
      byte[] encoded = entry.encode();
      System.arraycopy(encoded, 0, bytes, at, encoded.length);
      at += encoded.length;
    }
    return bytes;
  }

  private static byte[] flipped(byte[] segment, String at) {
    int index = new String(segment, StandardCharsets.ISO_8859_1).indexOf(at);
    assertThat(index).isNotNegative();
    segment[index] ^= 4;
    return segment;
  }

  /** The segment before: A, B and C have values, and the claim is gone. */
  private static SegmentScan before() {
    return SegmentScan.of(
        segment(
            BEFORE,
            1,
            entry(2, Fixture.A, "old a"),
            entry(3, Fixture.B, "old b"),
            entry(4, Fixture.C, "old c"),
            entry(5, StateKey.claim("gone"), "old claim"),
            Entry.unplaced(EntryName.of(StateKey.claim("gone")), Entry.REMOVE, new byte[0])
                .at(6, 1)));
  }

  private static LoadedState loaded(Replay replay) {
    return replay.live().toLoaded(replay.writtenOn());
  }

  private static Uncertainty filled(StateKey... keys) {
    return Uncertainty.about(StateException.Reason.JOURNAL_DAMAGED, List.of(keys), ONLY_BEFORE);
  }

  @Test
  void aSegmentWithoutDamageIsNotFilledIn() {
    Replay replay =
        Replay.of(SegmentScan.of(segment(Fixture.HOST, 7, entry(8, Fixture.A, "new a"))), before());

    assertThat(replay.found()).isEmpty();
    assertThat(loaded(replay).values()).containsOnlyKeys(Fixture.A);
    assertThat(replay.seq()).isEqualTo(8);
    assertThat(replay.writtenOn()).isEqualTo(Fixture.HOST);
  }

  @Test
  void aTailThatWasDroppedIsNotFilledIn() {
    byte[] bytes =
        segment(Fixture.HOST, 7, entry(8, Fixture.A, "new a"), entry(9, Fixture.B, "lost b"));
    Replay replay = Replay.of(SegmentScan.of(flipped(bytes, "lost b")), before());

    assertThat(loaded(replay).values()).containsOnlyKeys(Fixture.A);
    assertThat(replay.found())
        .containsExactly(
            Uncertainty.about(
                StateException.Reason.JOURNAL_TAIL_DROPPED,
                List.of(Fixture.B),
                "The last 48 bytes are an incomplete record and were dropped; a crash while "
                    + "writing leaves such bytes, and no work began because of them. A disk that "
                    + "loses synced data looks the same: reconcile these keys."));
  }

  @Test
  void onlyTheKeysOfRecordsThatAreKnownToBeDamagedAreFilledIn() {
    byte[] bytes =
        segment(Fixture.HOST, 7, entry(8, Fixture.B, "lost b"), entry(9, Fixture.A, "new a"));
    Replay replay = Replay.of(SegmentScan.of(flipped(bytes, "lost b")), before());

    assertThat(loaded(replay).values())
        .containsOnlyKeys(Fixture.A, Fixture.B)
        .containsEntry(Fixture.B, Fixture.value("old b"))
        .containsEntry(Fixture.A, Fixture.value("new a"));
    assertThat(replay.found())
        .containsExactly(
            filled(Fixture.B),
            Uncertainty.about(
                StateException.Reason.JOURNAL_DAMAGED,
                List.of(Fixture.B),
                "48 bytes of records after number 7 are damaged. Reconcile these keys with the"
                    + " mount table, and check the disk."));
  }

  @Test
  void theVolumeOfADamagedTombstoneIsFilledInAndInDoubt() {
    Entry bury =
        Entry.unplaced(
                EntryName.of(GRAVE), Entry.BURY, "b was here".getBytes(StandardCharsets.UTF_8))
            .at(8, 1);
    byte[] bytes = segment(Fixture.HOST, 7, bury, entry(9, Fixture.A, "new a"));
    Replay replay = Replay.of(SegmentScan.of(flipped(bytes, "b was here")), before());

    assertThat(loaded(replay).values()).containsOnlyKeys(Fixture.A, Fixture.B);
    assertThat(replay.found())
        .extracting(Uncertainty::keys)
        .containsExactly(filled(Fixture.B).keys(), filled(Fixture.B, GRAVE).keys());
  }

  @Test
  void allThatTheNewSegmentDoesNotHaveIsFilledInWhenItMayHaveLostAnything() {
    SegmentScan incomplete =
        SegmentScan.of(
            segment(Fixture.HOST, 7, entry(8, Fixture.A, "new a"), entry(10, Fixture.A, "last")));
    byte[] sound = segment(Fixture.HOST, 7, entry(8, Fixture.A, "last"));
    SegmentScan truncated = SegmentScan.of(Arrays.copyOf(sound, SIZE - 8));
    byte[] headless = sound.clone();
    headless[40] ^= 1;
    for (SegmentScan scan : List.of(incomplete, truncated, SegmentScan.of(headless))) {
      Replay replay = Replay.of(scan, before());

      assertThat(loaded(replay).values())
          .containsOnlyKeys(Fixture.A, Fixture.B, Fixture.C)
          .containsEntry(Fixture.A, Fixture.value("last"))
          .containsEntry(Fixture.B, Fixture.value("old b"));
      assertThat(replay.found()).contains(filled(Fixture.B, Fixture.C));
      assertThat(loaded(replay).mayMissKeys()).isTrue();
    }
  }

  @Test
  void numbersThatAreMissingAreTold() {
    Replay replay =
        Replay.of(
            SegmentScan.of(
                segment(
                    Fixture.HOST, 7, entry(8, Fixture.A, "before"), entry(12, Fixture.B, "after"))),
            null);

    assertThat(replay.found())
        .containsExactly(
            Uncertainty.aboutMoreThan(
                StateException.Reason.JOURNAL_DAMAGED,
                List.of(Fixture.A),
                "Records after number 8 are missing. Reconcile these keys with the mount table, "
                    + "and check the disk."));
  }

  @Test
  void aRecordWithTheNumberOfALostOneDoesNotTakeTheDoubtAway() {
    byte[] bytes =
        segment(
            Fixture.HOST,
            7,
            entry(8, Fixture.B, "b"),
            entry(9, Fixture.A, "lost a"),
            entry(9, Fixture.A, "other a"));
    Replay replay = Replay.of(SegmentScan.of(flipped(bytes, "lost a")), null);

    assertThat(replay.found())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.keys()).containsExactly(Fixture.A, Fixture.B));
  }

  @Test
  void aLaterRecordTakesTheDoubtOfALostOneAway() {
    byte[] bytes =
        segment(
            Fixture.HOST,
            7,
            entry(8, Fixture.B, "b"),
            entry(9, Fixture.A, "lost a"),
            entry(10, Fixture.A, "new a"));
    Replay replay = Replay.of(SegmentScan.of(flipped(bytes, "lost a")), null);

    assertThat(replay.found())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.keys()).isEmpty());
  }

  @Test
  void theSegmentBeforeTellsWhereTheLastOwnerRanWhenTheNewestDoesNot() {
    SegmentScan empty = SegmentScan.of(new byte[SIZE]);

    assertThat(Replay.of(empty, before()).writtenOn()).isEqualTo(BEFORE);
    assertThat(Replay.of(empty, empty).writtenOn()).isNull();
    assertThat(Replay.of(empty, null).writtenOn()).isNull();
    assertThat(Replay.of(empty, before()).seq()).isEqualTo(6);
    assertThat(Replay.of(empty, before()).epoch()).isEqualTo(1);
  }

  @Test
  void aWrappedValueOfTheLargestSizeIsUnderstoodAndALargerOneIsADoubt() {
    int most = StateValue.MAX_SIZE + StateValue.MAX_AROUND;
    for (int size : new int[] {most, most + 1}) {
      Entry large = new Entry(2, 1, EntryName.of(Fixture.A), Entry.PUT, new byte[size]);
      byte[] header = Header.of(1, 2L * most, Fixture.HOST).entry(1, 1).encode();
      byte[] bytes = Arrays.copyOf(header, 2 * most);
      System.arraycopy(large.encode(), 0, bytes, header.length, large.size());
      Replay replay = Replay.of(SegmentScan.of(bytes), null);

      assertThat(replay.live().keys()).isEqualTo(size == most ? 1 : 0);
      assertThat(replay.found()).hasSize(size == most ? 0 : 1);
      assertThat(replay.found())
          .allSatisfy(doubt -> assertThat(doubt.keys()).containsExactly(Fixture.A));
    }
  }
}
