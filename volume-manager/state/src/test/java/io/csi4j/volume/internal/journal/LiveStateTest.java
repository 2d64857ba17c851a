package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.Uncertainty;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The sums that memory keeps beside the state. */
class LiveStateTest {

  private static final Uncertainty DOUBT =
      Uncertainty.about(
          StateException.Reason.JOURNAL_DAMAGED, List.of(Fixture.A), "A doubt of this test.");

  private static Entry put(StateKey key, int size) {
    return Entry.unplaced(EntryName.of(key), Entry.PUT, new byte[size]);
  }

  private static Entry remove(StateKey key) {
    return Entry.unplaced(EntryName.of(key), Entry.REMOVE, new byte[0]);
  }

  private static LiveState empty() {
    return new LiveState(Map.of(), List.of());
  }

  private static void check(LiveState live, int keys) {
    assertThat(live.keys()).isEqualTo(keys);
    assertThat(live.bytes())
        .isEqualTo(live.records().mapToLong(entry -> entry.encode().length).sum());
  }

  @Test
  void theKeysAndBytesAreThoseOfTheRecordsAfterEachChange() {
    LiveState live = empty();
    check(live, 0);
    live.apply(put(Fixture.A, 100));
    check(live, 1);
    live.apply(put(Fixture.A, 300));
    check(live, 1);
    live.apply(put(Fixture.B, 50));
    check(live, 2);
    live.apply(Entry.unplaced(EntryName.of(StateKey.tombstone("a")), Entry.BURY, new byte[20]));
    check(live, 2);
    assertThat(live.toLoaded(null).values()).containsOnlyKeys(Fixture.B, StateKey.tombstone("a"));
    live.apply(remove(Fixture.B));
    check(live, 1);
    live.apply(remove(Fixture.B));
    check(live, 1);
    live.apply(remove(StateKey.tombstone("a")));
    check(live, 0);
    assertThat(live.bytes()).isZero();
  }

  @Test
  void aRecordOfAKindThatOnlyALaterVersionKnowsTakesBytesAndIsNoKey() {
    LiveState live = empty();
    live.apply(Entry.unplaced(new EntryName(200, "x"), Entry.PUT, new byte[9]));

    check(live, 0);
    assertThat(live.bytes()).isPositive();
  }

  @Test
  void doubtsTakeTheirBytesUntilTheyAreSettled() {
    LiveState live = new LiveState(Map.of(), List.of(DOUBT));
    live.apply(put(Fixture.B, 10));

    assertThat(live.uncertainties()).containsExactly(DOUBT);
    assertThat(live.records()).hasSize(2);
    check(live, 1);
    live.apply(Entry.unplaced(LiveState.SETTLED, Entry.REMOVE, new byte[0]));
    assertThat(live.uncertainties()).isEmpty();
    assertThat(live.records()).hasSize(1);
    check(live, 1);
  }

  @Test
  void theStateAfterAChangeIsAnotherOne() {
    LiveState live = new LiveState(Map.of(), List.of(DOUBT));
    live.apply(put(Fixture.A, 10));
    LiveState then = live.with(put(Fixture.B, 10));

    check(live, 1);
    check(then, 2);
    assertThat(then.uncertainties()).containsExactly(DOUBT);
    assertThat(then.toLoaded(null).values()).containsOnlyKeys(Fixture.A, Fixture.B);
  }

  @Test
  void aDoubtOfThousandsOfKeysIsSplitAndReadBackWhole() {
    List<StateKey> keys = IntStream.range(0, 801).mapToObj(i -> StateKey.volume("v" + i)).toList();
    Uncertainty large =
        Uncertainty.aboutMoreThan(StateException.Reason.JOURNAL_TRUNCATED, keys, "Large.");
    List<Uncertainty> read =
        new LiveState(Map.of(), List.of(large))
            .records()
            .map(entry -> LiveState.decodeDoubt(entry.value()))
            .toList();

    assertThat(read).extracting(doubt -> doubt.keys().size()).containsExactly(400, 400, 1);
    assertThat(read).allMatch(doubt -> doubt.reason() == StateException.Reason.JOURNAL_TRUNCATED);
    assertThat(read).allMatch(Uncertainty::hidesUnknownKeys);
    assertThat(read).allMatch(doubt -> doubt.text().equals("Large."));
    assertThat(read.stream().flatMap(doubt -> doubt.keys().stream()))
        .containsExactlyInAnyOrderElementsOf(keys);
  }
}
